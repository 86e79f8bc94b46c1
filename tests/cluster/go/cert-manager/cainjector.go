package main

import (
	"context"
	"time"

	"github.com/spf13/pflag"
	corev1 "k8s.io/api/core/v1"
	apiext "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/apimachinery/pkg/util/wait"
	kscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	apireg "k8s.io/kube-aggregator/pkg/apis/apiregistration/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	metrics "sigs.k8s.io/controller-runtime/pkg/metrics/server"

	config "github.com/cert-manager/cert-manager/internal/apis/config/cainjector"
	configscheme "github.com/cert-manager/cert-manager/internal/apis/config/cainjector/scheme"
	"github.com/cert-manager/cert-manager/internal/apis/config/cainjector/validation"
	versioned "github.com/cert-manager/cert-manager/pkg/apis/config/cainjector/v1alpha1"
	cmscheme "github.com/cert-manager/cert-manager/pkg/client/clientset/versioned/scheme"
	"github.com/cert-manager/cert-manager/pkg/controller/cainjector"
	logf "github.com/cert-manager/cert-manager/pkg/logs"
	"github.com/cert-manager/cert-manager/pkg/util"
)

const certificates = "certificates.cert-manager.io"

// inject runs the CA injector.
func inject(ctx context.Context, arguments []string) error {
	settings, err := defaults()
	if err != nil {
		return err
	}
	if err := flagsOf(settings).Parse(arguments); err != nil {
		return err
	}
	if wrong := validation.ValidateCAInjectorConfiguration(settings, nil); len(wrong) > 0 {
		return wrong.ToAggregate()
	}
	if err := logf.ValidateAndApply(&settings.Logging); err != nil {
		return err
	}
	access, err := ctrl.GetConfig()
	if err != nil {
		return err
	}
	manager, err := managerOf(settings, util.RestConfigWithUserAgent(access, "cainjector"))
	if err != nil {
		return err
	}
	if settings.EnableDataSourceConfig.Certificates {
		if err := awaitCertificates(ctx, manager); err != nil {
			return err
		}
	}
	injectable := settings.EnableInjectableConfig
	chosen := cainjector.SetupOptions{
		Namespace:                    settings.Namespace,
		IgnoreNamespaces:             settings.IgnoreNamespaces,
		EnableCertificatesDataSource: settings.EnableDataSourceConfig.Certificates,
		EnabledReconcilersFor: map[string]bool{
			cainjector.MutatingWebhookConfigurationName:   injectable.MutatingWebhookConfigurations,
			cainjector.ValidatingWebhookConfigurationName: injectable.ValidatingWebhookConfigurations,
			cainjector.APIServiceName:                     injectable.APIServices,
			cainjector.CustomResourceDefinitionName:       injectable.CustomResourceDefinitions,
		},
	}
	if err := cainjector.RegisterAllInjectors(ctx, manager, chosen); err != nil {
		return err
	}
	return manager.Start(ctx)
}

func defaults() (*config.CAInjectorConfiguration, error) {
	scheme, _, err := configscheme.NewSchemeAndCodecs()
	if err != nil {
		return nil, err
	}
	given, settings := &versioned.CAInjectorConfiguration{}, &config.CAInjectorConfiguration{}
	scheme.Default(given)
	return settings, scheme.Convert(given, settings, nil)
}

func flagsOf(c *config.CAInjectorConfiguration) *pflag.FlagSet {
	flags := pflag.NewFlagSet("cainjector", pflag.ContinueOnError)
	texts := map[string]*string{
		"leader-election-namespace": &c.LeaderElectionConfig.Namespace,
		"metrics-listen-address":    &c.MetricsListenAddress,
		"namespace":                 &c.Namespace,
	}
	times := map[string]*time.Duration{
		"leader-election-lease-duration": &c.LeaderElectionConfig.LeaseDuration,
		"leader-election-renew-deadline": &c.LeaderElectionConfig.RenewDeadline,
		"leader-election-retry-period":   &c.LeaderElectionConfig.RetryPeriod,
	}
	switches := map[string]*bool{
		"enable-apiservices-injectable":                     &c.EnableInjectableConfig.APIServices,
		"enable-certificates-data-source":                   &c.EnableDataSourceConfig.Certificates,
		"enable-customresourcedefinitions-injectable":       &c.EnableInjectableConfig.CustomResourceDefinitions,
		"enable-mutatingwebhookconfigurations-injectable":   &c.EnableInjectableConfig.MutatingWebhookConfigurations,
		"enable-validatingwebhookconfigurations-injectable": &c.EnableInjectableConfig.ValidatingWebhookConfigurations,
		"leader-elect": &c.LeaderElectionConfig.Enabled,
	}
	for name, value := range texts {
		flags.StringVar(value, name, *value, "")
	}
	for name, value := range times {
		flags.DurationVar(value, name, *value, "")
	}
	for name, value := range switches {
		flags.BoolVar(value, name, *value, "")
	}
	flags.StringSliceVar(&c.IgnoreNamespaces, "ignore-namespaces", c.IgnoreNamespaces, "")
	logf.AddFlags(&c.Logging, flags)
	return flags
}

// managerOf makes what the injectors run in: Secrets are read one by one and only their metadata is watched.
func managerOf(c *config.CAInjectorConfiguration, access *rest.Config) (ctrl.Manager, error) {
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{
		kscheme.AddToScheme, cmscheme.AddToScheme, apiext.AddToScheme, apireg.AddToScheme,
	} {
		utilruntime.Must(add(scheme))
	}
	var watched map[string]cache.Config
	if c.Namespace != "" {
		watched = map[string]cache.Config{c.Namespace: {}}
	}
	unwatched := &client.CacheOptions{DisableFor: []client.Object{&corev1.Secret{}}}
	return ctrl.NewManager(access, ctrl.Options{
		Scheme:                        scheme,
		Cache:                         cache.Options{ReaderFailOnMissingInformer: true, DefaultNamespaces: watched},
		Client:                        client.Options{Cache: unwatched},
		LeaderElection:                c.LeaderElectionConfig.Enabled,
		LeaderElectionNamespace:       c.LeaderElectionConfig.Namespace,
		LeaderElectionID:              "cert-manager-cainjector-leader-election",
		LeaderElectionLabels:          map[string]string{"app.kubernetes.io/managed-by": "cert-manager-cainjector"},
		LeaderElectionReleaseOnCancel: true,
		LeaseDuration:                 &c.LeaderElectionConfig.LeaseDuration,
		RenewDeadline:                 &c.LeaderElectionConfig.RenewDeadline,
		RetryPeriod:                   &c.LeaderElectionConfig.RetryPeriod,
		Metrics:                       metrics.Options{BindAddress: c.MetricsListenAddress},
	})
}

// awaitCertificates waits for the CRD of certificates, which must be there before they are watched: a forbidden look
// ends the program.
func awaitCertificates(ctx context.Context, manager ctrl.Manager) error {
	direct, err := client.New(manager.GetConfig(), client.Options{
		Scheme: manager.GetScheme(), Mapper: manager.GetRESTMapper(),
	})
	if err != nil {
		return err
	}
	there := func(ctx context.Context) (bool, error) {
		err := direct.Get(ctx, types.NamespacedName{Name: certificates}, &apiext.CustomResourceDefinition{})
		return err == nil, client.IgnoreNotFound(err)
	}
	return wait.PollUntilContextTimeout(ctx, time.Second, 5*time.Minute, true, there)
}
