// The controller of cert-manager: upstream's own loops, set up as its own program does.
//
// That program is a module of its own that nothing but upstream's repository builds. What it calls lies in packages that
// only modules below upstream's path may import, hence the name of this one. There are the flags that a stack gives it,
// and any other is refused.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/spf13/pflag"
	"golang.org/x/sync/errgroup"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
	ctrl "sigs.k8s.io/controller-runtime"

	config "github.com/cert-manager/cert-manager/internal/apis/config/controller"
	configscheme "github.com/cert-manager/cert-manager/internal/apis/config/controller/scheme"
	defaults "github.com/cert-manager/cert-manager/internal/apis/config/controller/v1alpha1"
	"github.com/cert-manager/cert-manager/internal/apis/config/controller/validation"
	"github.com/cert-manager/cert-manager/internal/pem"
	versioned "github.com/cert-manager/cert-manager/pkg/apis/config/controller/v1alpha1"
	"github.com/cert-manager/cert-manager/pkg/controller"
	shim "github.com/cert-manager/cert-manager/pkg/controller/certificate-shim/gateways"
	"github.com/cert-manager/cert-manager/pkg/healthz"
	_ "github.com/cert-manager/cert-manager/pkg/issuer/acme"
	nameservers "github.com/cert-manager/cert-manager/pkg/issuer/acme/dns/util"
	_ "github.com/cert-manager/cert-manager/pkg/issuer/ca"
	_ "github.com/cert-manager/cert-manager/pkg/issuer/selfsigned"
	_ "github.com/cert-manager/cert-manager/pkg/issuer/vault"
	_ "github.com/cert-manager/cert-manager/pkg/issuer/venafi"
	logf "github.com/cert-manager/cert-manager/pkg/logs"
	"github.com/cert-manager/cert-manager/pkg/server"
)

const lease = "cert-manager-controller"

func main() {
	logf.InitLogs()
	defer logf.FlushLogs()
	ctx := logf.NewContext(ctrl.SetupSignalHandler(), logf.Log, "controller")
	settings, err := settingsOf(os.Args[1:])
	if err == nil {
		err = run(ctx, settings)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		logf.FlushLogs()
		os.Exit(1)
	}
}

func settingsOf(arguments []string) (*config.ControllerConfiguration, error) {
	scheme, _, err := configscheme.NewSchemeAndCodecs()
	if err != nil {
		return nil, err
	}
	given, c := &versioned.ControllerConfiguration{}, &config.ControllerConfiguration{}
	scheme.Default(given)
	if err := scheme.Convert(given, c, nil); err != nil {
		return nil, err
	}
	flags := pflag.NewFlagSet("controller", pflag.ContinueOnError)
	for name, value := range map[string]*string{
		"acme-http01-solver-image":        &c.ACMEHTTP01Config.SolverImage,
		"cluster-resource-namespace":      &c.ClusterResourceNamespace,
		"internal-healthz-listen-address": &c.HealthzListenAddress,
		"leader-election-namespace":       &c.LeaderElectionConfig.Namespace,
		"metrics-listen-address":          &c.MetricsListenAddress,
	} {
		flags.StringVar(value, name, *value, "")
	}
	flags.BoolVar(&c.GatewayAPIConfig.Enabled, "enable-gateway-api", c.GatewayAPIConfig.Enabled, "")
	flags.IntVar(&c.MaxConcurrentChallenges, "max-concurrent-challenges", c.MaxConcurrentChallenges, "")
	logf.AddFlags(&c.Logging, flags)
	if err := flags.Parse(arguments); err != nil {
		return nil, err
	}
	if wrong := validation.ValidateControllerConfiguration(c, nil); len(wrong) > 0 {
		return nil, wrong.ToAggregate()
	}
	return c, logf.ValidateAndApply(&c.Logging)
}

func run(ctx context.Context, c *config.ControllerConfiguration) error {
	contexts, err := contextsOf(ctx, c)
	if err != nil {
		return err
	}
	shared, err := contexts.Build()
	if err != nil {
		return err
	}
	limits := c.PEMSizeLimitsConfig
	pem.SetGlobalSizeLimits(pem.NewSizeLimitsFromConfig(
		limits.MaxCertificateSize, limits.MaxPrivateKeySize, limits.MaxChainLength, limits.MaxBundleSize,
	))
	group, ctx := errgroup.WithContext(ctx)
	health := healthz.NewServer(c.LeaderElectionConfig.HealthzTimeout)
	if err := listen(ctx, group, c, shared, health); err != nil {
		return err
	}
	elected := make(chan struct{})
	group.Go(func() error { return elect(ctx, c, contexts, health, elected) })
	select {
	case <-ctx.Done():
		return group.Wait()
	case <-elected:
	}
	if err := start(ctx, group, c, contexts); err != nil {
		return err
	}
	shared.SharedInformerFactory.Start(ctx.Done())
	shared.KubeSharedInformerFactory.Start(ctx.Done())
	shared.HTTP01ResourceMetadataInformersFactory.Start(ctx.Done())
	if c.GatewayAPIConfig.Enabled {
		shared.GWShared.Start(ctx.Done())
	}
	return group.Wait()
}

func contextsOf(ctx context.Context, c *config.ControllerConfiguration) (*controller.ContextFactory, error) {
	solver := c.ACMEHTTP01Config
	quantity := resource.MustParse
	return controller.NewContextFactory(ctx, controller.ContextOptions{
		Kubeconfig:         c.KubeConfig,
		KubernetesAPIQPS:   c.KubernetesAPIQPS,
		KubernetesAPIBurst: c.KubernetesAPIBurst,
		ACMEOptions: controller.ACMEOptions{
			HTTP01SolverResourceRequestCPU:    quantity(solver.SolverResourceRequestCPU),
			HTTP01SolverResourceRequestMemory: quantity(solver.SolverResourceRequestMemory),
			HTTP01SolverResourceLimitsCPU:     quantity(solver.SolverResourceLimitsCPU),
			HTTP01SolverResourceLimitsMemory:  quantity(solver.SolverResourceLimitsMemory),
			ACMEHTTP01SolverRunAsNonRoot:      solver.SolverRunAsNonRoot,
			HTTP01SolverImage:                 solver.SolverImage,
			DNS01Nameservers:                  nameservers.RecursiveNameservers,
			DNS01CheckRetryPeriod:             c.ACMEDNS01Config.CheckRetryPeriod,
			DNS01CheckAuthoritative:           !c.ACMEDNS01Config.RecursiveNameserversOnly,
		},
		SchedulerOptions: controller.SchedulerOptions{MaxConcurrentChallenges: c.MaxConcurrentChallenges},
		IssuerOptions: controller.IssuerOptions{
			ClusterIssuerAmbientCredentials: c.ClusterIssuerAmbientCredentials,
			IssuerAmbientCredentials:        c.IssuerAmbientCredentials,
			ClusterResourceNamespace:        c.ClusterResourceNamespace,
		},
		IngressShimOptions: controller.IngressShimOptions{
			DefaultIssuerName:                 c.IngressShimConfig.DefaultIssuerName,
			DefaultIssuerKind:                 c.IngressShimConfig.DefaultIssuerKind,
			DefaultIssuerGroup:                c.IngressShimConfig.DefaultIssuerGroup,
			DefaultAutoCertificateAnnotations: c.IngressShimConfig.DefaultAutoCertificateAnnotations,
		},
		CertificateOptions: controller.CertificateOptions{
			EnableOwnerRef:                           c.EnableCertificateOwnerRef,
			CopiedAnnotationPrefixes:                 c.CopiedAnnotationPrefixes,
			CertificateRequestMinimumBackoffDuration: c.CertificateRequestMinimumBackoffDuration,
			CertificateRequestMaximumBackoffDuration: c.CertificateRequestMaximumBackoffDuration,
		},
		ConfigOptions: controller.ConfigOptions{EnableGatewayAPI: c.GatewayAPIConfig.Enabled},
	})
}

// listen serves measures and health.
func listen(
	ctx context.Context, group *errgroup.Group, c *config.ControllerConfiguration, shared *controller.Context,
	health *healthz.Server,
) error {
	measured, err := server.Listen(ctx, "tcp", c.MetricsListenAddress)
	if err != nil {
		return err
	}
	informers := shared.SharedInformerFactory
	shared.Metrics.SetupACMECollector(informers.Acme().V1().Challenges().Lister())
	shared.Metrics.SetupCertificateCollector(informers.Certmanager().V1().Certificates().Lister())
	shared.Metrics.SetupIssuerCollector(informers.Certmanager().V1().Issuers().Lister())
	shared.Metrics.SetupClusterIssuerCollector(informers.Certmanager().V1().ClusterIssuers().Lister())
	measures := shared.Metrics.NewServer(measured)
	asked, err := server.Listen(ctx, "tcp", c.HealthzListenAddress)
	if err != nil {
		return err
	}
	group.Go(func() error { return measures.Serve(measured) })
	group.Go(func() error { return health.Start(ctx, asked) })
	group.Go(func() error {
		<-ctx.Done()
		return measures.Close()
	})
	return nil
}

func elect(
	ctx context.Context, c *config.ControllerConfiguration, contexts *controller.ContextFactory, health *healthz.Server,
	elected chan<- struct{},
) error {
	own, err := contexts.Build("leader-election")
	if err != nil {
		return err
	}
	host, err := os.Hostname()
	if err != nil {
		return err
	}
	chosen := c.LeaderElectionConfig
	lock, err := resourcelock.NewWithLabels(
		resourcelock.LeasesResourceLock, chosen.Namespace, lease, own.Client.CoreV1(), own.Client.CoordinationV1(),
		resourcelock.ResourceLockConfig{Identity: host + "-external-cert-manager-controller", EventRecorder: own.Recorder},
		map[string]string{"app.kubernetes.io/managed-by": "cert-manager"},
	)
	if err != nil {
		return err
	}
	leaderelection.RunOrDie(ctx, leaderelection.LeaderElectionConfig{
		Lock:            lock,
		LeaseDuration:   chosen.LeaseDuration,
		RenewDeadline:   chosen.RenewDeadline,
		RetryPeriod:     chosen.RetryPeriod,
		ReleaseOnCancel: true,
		WatchDog:        health.LeaderHealthzAdaptor,
		Callbacks: leaderelection.LeaderCallbacks{
			OnStartedLeading: func(context.Context) { close(elected) },
			OnStoppedLeading: func() {},
		},
	})
	if ctx.Err() == nil {
		return errors.New("the lease is lost")
	}
	return nil
}

// start runs the loops that upstream runs by default, and that of gateways where a flag says so.
func start(
	ctx context.Context, group *errgroup.Group, c *config.ControllerConfiguration, contexts *controller.ContextFactory,
) error {
	names := append([]string{}, defaults.DefaultEnabledControllers...)
	if c.GatewayAPIConfig.Enabled {
		names = append(names, shim.ControllerName)
	}
	for _, name := range names {
		loop, err := controller.Known()[name](contexts)
		if err != nil {
			return err
		}
		group.Go(func() error { return loop.Run(c.NumberOfConcurrentWorkers, ctx) })
	}
	return nil
}
