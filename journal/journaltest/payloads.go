package journaltest

import (
	"encoding/json"
	"reflect"

	"github.com/seed-cf6d8d1b/swarm/journal"
)

// Payloads gives one payload of each type with every field set.
func Payloads() []journal.Payload {
	var list []journal.Payload
	for _, t := range journal.Types() {
		p, _ := journal.NewPayload(t)
		fill(reflect.ValueOf(p).Elem())
		list = append(list, p)
	}
	return list
}

// fill sets every field below v.
func fill(v reflect.Value) {
	switch x := v.Addr().Interface().(type) {
	case *journal.Content:
		*x = journal.Content{Text: "a text with ö, < and \"", Media: "text/plain"}
		return
	case *json.RawMessage:
		*x = json.RawMessage(`{"n":1.50,"list":[null,"<"]}`)
		return
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString("näme <1>")
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int64:
		v.SetInt(1<<31 - 2)
	case reflect.Uint64:
		v.SetUint(1<<63 + 1)
	case reflect.Struct:
		for i := range v.NumField() {
			fill(v.Field(i))
		}
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		fill(v.Index(0))
		fill(v.Index(1))
	case reflect.Map:
		key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
		fill(key)
		fill(value)
		v.Set(reflect.MakeMap(v.Type()))
		v.SetMapIndex(key, value)
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem())
	default:
		panic("a payload has a field of kind " + v.Kind().String())
	}
}
