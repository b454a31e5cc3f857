package main

import (
	"context"
	"fmt"

	"github.com/compose-spec/compose-go/v2/cli"
)

// checkCompose loads a Compose file as Docker Compose does, which refuses what its schema does not have, and prints the
// names of its services.
func checkCompose(path string) error {
	options, err := cli.NewProjectOptions([]string{path})
	if err != nil {
		return err
	}
	project, err := options.LoadProject(context.Background())
	if err != nil {
		return err
	}
	for _, name := range project.ServiceNames() {
		fmt.Println(name)
	}
	return nil
}
