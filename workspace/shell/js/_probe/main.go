package main

import (
	"bufio"
	"fmt"
	"os"

	"github.com/dop251/goja"
)

func main() {
	s := bufio.NewScanner(os.Stdin)
	for s.Scan() {
		vm := goja.New()
		vm.Set("print", func(c goja.FunctionCall) goja.Value { fmt.Println("   ", c.Arguments); return nil })
		v, err := vm.RunScript("x.js", s.Text())
		if err != nil {
			fmt.Printf("%s\n  ERR %T %v\n", s.Text(), err, err)
			continue
		}
		fmt.Printf("%s\n  = %v\n", s.Text(), v)
	}
}
