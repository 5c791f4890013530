package js

import (
	"crypto/hmac"
	"crypto/md5"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha512"
	"encoding"
	"hash"

	"github.com/dop251/goja"
)

// hashes are the algorithms of crypto.createHash.
var hashes = map[string]func() hash.Hash{
	"md5": md5.New, "sha1": sha1.New, "sha224": sha256.New224, "sha256": sha256.New, "sha384": sha512.New384, "sha512": sha512.New,
	"sha512-256": sha512.New512_256, "sha512-224": sha512.New512_224,
}

func (r *Runtime) addHashNatives(o *goja.Object) {
	r.set(o, "hash", func(c goja.FunctionCall) goja.Value { // name, or name and key
		make, ok := hashes[c.Argument(0).String()]
		if !ok {
			return goja.Null()
		}
		if key, ok := r.view(c.Argument(1)); ok {
			return r.hashObject(hmac.New(make, key), nil)
		}
		return r.hashObject(make(), make)
	})
}

// hashObject gives what adds bytes to a sum and gives it. make is needed to copy it.
func (r *Runtime) hashObject(h hash.Hash, make func() hash.Hash) goja.Value {
	o := r.vm.NewObject()
	r.set(o, "update", r.vm.ToValue(func(c goja.FunctionCall) goja.Value {
		b, _ := r.view(c.Argument(0))
		_, _ = h.Write(b)
		return nil
	}))
	r.set(o, "digest", r.vm.ToValue(func(goja.FunctionCall) goja.Value { return r.bytes(h.Sum(nil)) }))
	r.set(o, "copy", r.vm.ToValue(func(goja.FunctionCall) goja.Value {
		from, ok := h.(encoding.BinaryMarshaler)
		if !ok || make == nil {
			return goja.Null()
		}
		state, err := from.MarshalBinary()
		if err != nil {
			panic(r.vm.NewGoError(err))
		}
		copied := make()
		if err := copied.(encoding.BinaryUnmarshaler).UnmarshalBinary(state); err != nil {
			panic(r.vm.NewGoError(err))
		}
		return r.hashObject(copied, make)
	}))
	return o
}
