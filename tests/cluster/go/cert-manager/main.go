// The CA injector and the webhook of cert-manager, by the first word: upstream's own code, set up as its own programs do.
//
// Those programs are modules of their own that nothing but upstream's repository builds. What they call lies in packages
// that only modules below upstream's path may import, hence the name of this one. The webhook's flags are upstream's; of
// the injector's there are those that say where it elects and what it injects, and any other is refused.
package main

import (
	"context"
	"fmt"
	"os"

	"github.com/spf13/pflag"
	ctrl "sigs.k8s.io/controller-runtime"

	"github.com/cert-manager/cert-manager/internal/apis/config/webhook/validation"
	"github.com/cert-manager/cert-manager/internal/webhook"
	logf "github.com/cert-manager/cert-manager/pkg/logs"
	"github.com/cert-manager/cert-manager/pkg/webhook/options"
)

func main() {
	programs := map[string]func(context.Context, []string) error{"cainjector": inject, "webhook": judge}
	logf.InitLogs()
	defer logf.FlushLogs()
	ctrl.SetLogger(logf.Log)
	if len(os.Args) < 2 || programs[os.Args[1]] == nil {
		fail(fmt.Errorf("the first word is cainjector or webhook"))
	}
	if err := programs[os.Args[1]](ctrl.SetupSignalHandler(), os.Args[2:]); err != nil {
		fail(err)
	}
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, "error:", err)
	logf.FlushLogs()
	os.Exit(1)
}

// judge runs the webhook.
func judge(ctx context.Context, arguments []string) error {
	settings, err := options.NewWebhookConfiguration()
	if err != nil {
		return err
	}
	flags := pflag.NewFlagSet("webhook", pflag.ContinueOnError)
	options.AddConfigFlags(flags, settings)
	if err := flags.Parse(arguments); err != nil {
		return err
	}
	if wrong := validation.ValidateWebhookConfiguration(settings, nil); len(wrong) > 0 {
		return wrong.ToAggregate()
	}
	if err := logf.ValidateAndApply(&settings.Logging); err != nil {
		return err
	}
	server, err := webhook.NewCertManagerWebhookServer(logf.FromContext(ctx, "webhook"), *settings)
	if err != nil {
		return err
	}
	return server.Run(ctx)
}
