// Runs queries with the client of Apache Pinot for Go, which finds its broker by the controller, and prints what it makes of the answers.
//
// Arguments: the controller as host:port, a table, then queries. The token is in the variable QUIRE_TOKEN.
package main

import (
	"fmt"
	"os"

	"github.com/startreedata/pinot-client-go/pinot"
)

func main() {
	headers := map[string]string{"Authorization": "Bearer " + os.Getenv("QUIRE_TOKEN")}
	connection, err := pinot.NewWithConfig(&pinot.ClientConfig{
		ExtraHTTPHeader:  headers,
		ControllerConfig: &pinot.ControllerConfig{ControllerAddress: os.Args[1], ExtraControllerAPIHeaders: headers},
	})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	for _, sql := range os.Args[3:] {
		response, err := connection.ExecuteSQL(os.Args[2], sql)
		if err != nil {
			fmt.Println("failed:", err)
			continue
		}
		for _, exception := range response.Exceptions {
			fmt.Println("exception:", exception.ErrorCode)
		}
		if response.ResultTable == nil {
			continue
		}
		rows := response.ResultTable
		for column := 0; column < rows.GetColumnCount(); column++ {
			fmt.Print(rows.GetColumnName(column), " ", rows.GetColumnDataType(column), "\t")
		}
		fmt.Println()
		for row := 0; row < rows.GetRowCount(); row++ {
			for column := 0; column < rows.GetColumnCount(); column++ {
				switch rows.GetColumnDataType(column) {
				case "INT":
					fmt.Print(rows.GetInt(row, column), "\t")
				case "LONG":
					fmt.Print(rows.GetLong(row, column), "\t")
				case "DOUBLE":
					fmt.Print(rows.GetDouble(row, column), "\t")
				default:
					fmt.Print(rows.Get(row, column), "\t")
				}
			}
			fmt.Println()
		}
	}
}
