package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/loopgauge/loopgauge/window/policy"
)

// gatewayFlag registers a flag that names a gateway.
func gatewayFlag(c *cobra.Command, gateway *string, name, usage string) {
	c.Flags().StringVar(gateway, name, "", usage+": "+strings.Join(policy.GatewayNames(), ", "))
	offer(c, name, policy.GatewayNames, noFiles)
}

// sayProblems says what a translation left behind, field by field.
func (u *ui) sayProblems(list []policy.Problem) {
	for _, p := range list {
		u.say("%s", p)
	}
}

// readText reads a file, or standard input for "-", with the name that
// problems call it by.
func (u *ui) readText(file string) (name string, text []byte, err error) {
	if file == "-" {
		file = "standard input"
		text, err = policy.ReadText(file, u.stdin)
		return file, text, err
	}
	text, err = policy.ReadFile(file)
	return file, text, err
}

func newPolicyImport(u *ui) *cobra.Command {
	var from string
	c := &cobra.Command{
		Use:   "import --from GATEWAY FILE...",
		Short: "Turn a gateway's own loop settings into a policy",
		Long: `Import prints the policy that a gateway's own settings amount to, as the gateway
behaves. What a policy cannot say of them goes to standard error, field by
field.`,
		Example: `  loopgauge policy import --from fairvisor bundle.json > policy.yaml
  loopgauge policy import --from aisg .env
  loopgauge policy import --from tool-call .env config.yaml`,
		Args: some("give a file: the gateway's settings"),
		RunE: func(_ *cobra.Command, args []string) error {
			g, err := policy.GatewayNamed(from)
			if err != nil {
				return usage(fmt.Errorf("--from: %w", err))
			}
			var files []policy.Settings
			for _, file := range args {
				name, text, err := u.readText(file)
				if err != nil {
					return usage(err)
				}
				files = append(files, policy.Settings{File: name, Text: text})
			}
			out, said, err := g.Import(files...)
			u.sayProblems(said)
			if err != nil {
				return usage(err)
			}
			return u.print(string(out))
		},
	}
	gatewayFlag(c, &from, "from", "whose settings they are")
	return c
}

func newPolicyExport(u *ui) *cobra.Command {
	var to, rule string
	c := &cobra.Command{
		Use:   "export --to GATEWAY POLICY",
		Short: "Write rules of a policy as a gateway's own loop settings",
		Long: `Export prints the settings of a gateway that do what a rule says. A rule that
the gateway cannot have is refused, with each field that keeps it from it.`,
		Example: `  loopgauge policy export --to fairvisor policy.yaml > bundle.json
  loopgauge policy export --to tool-call --rule stuck policy.yaml >> .env`,
		Args: one("give one file: the policy"),
		RunE: func(_ *cobra.Command, args []string) error {
			g, err := policy.GatewayNamed(to)
			if err != nil {
				return usage(fmt.Errorf("--to: %w", err))
			}
			name, text, err := u.readText(args[0])
			if err != nil {
				return usage(err)
			}
			out, said, err := g.Export(name, text, rule)
			if err != nil {
				return usage(err)
			}
			u.sayProblems(said)
			return u.print(string(out))
		},
	}
	gatewayFlag(c, &to, "to", "whose settings to write")
	c.Flags().StringVar(&rule, "rule", "", "the rule to write (default all)")
	return c
}
