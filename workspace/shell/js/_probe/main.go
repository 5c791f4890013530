package main

import (
	"bufio"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/dop251/goja"
)

func main() {
	s := bufio.NewScanner(os.Stdin)
	for s.Scan() {
		vm := goja.New()
		vm.SetMaxCallStackSize(1000)
		v, err := vm.RunScript("x.js", s.Text())
		if err != nil {
			if e, ok := err.(*goja.Exception); ok {
				fmt.Printf("%s\n  ERR %q\n", s.Text(), e.String())
			} else {
				fmt.Printf("%s\n  ERR %T %v\n", s.Text(), err, err)
			}
			continue
		}
		if o, ok := v.(*goja.Object); ok {
			fmt.Println(s.Text(), "\n  =", o.ClassName(), o.ExportType())
		}
	}
	vm := goja.New()
	vm.Set("host", func(c goja.FunctionCall) goja.Value {
		f, _ := goja.AssertFunction(c.Argument(0))
		_, err := f(nil)
		fmt.Println("inner done", err)
		return nil
	})
	vm.Set("log", func(c goja.FunctionCall) goja.Value { fmt.Println(c.Arguments); return nil })
	vm.RunString(`host(()=>{ Promise.resolve().then(()=>log("micro")); log("main") }); log("tick")`)
	var b strings.Builder
	b.WriteString("[")
	for i := 0; i < 37860; i++ {
		if i > 0 {
			b.WriteString(",")
		}
		fmt.Fprintf(&b, `{"id":%d,"name":"user %d","email":"u%d@example.com","score":%d.5,"active":true,"tags":["a","b"],"note":"some text here to fill"}`, i, i, i, i%100)
	}
	b.WriteString("]")
	vm.Set("text", b.String())
	t := time.Now()
	v, err := vm.RunString(`JSON.parse(text).reduce((a,r)=>a+r.score,0)`)
	fmt.Println(len(b.String()), v, err, time.Since(t))
	t = time.Now()
	o := vm.NewArray()
	_ = o
	for i := 0; i < 37860; i++ {
		x := vm.NewObject()
		for _, k := range []string{"id", "name", "email", "score", "active", "tags", "note"} {
			x.Set(k, vm.ToValue(i))
		}
	}
	fmt.Println("set", time.Since(t))
	t = time.Now()
	v, err = vm.RunString(`let s=0; for(let i=0;i<10000000;i++) s+=i; s`)
	fmt.Println("loop 1e7", time.Since(t))
}
