package wire

import (
	"net/http"
	"sync"

	"github.com/seed-cf6d8d1b/swarm/model"
)

// keys holds the key of a client, which may become another one. The zero value is no key.
type keys struct {
	opt Options // of the client

	lock   sync.Mutex
	key    string
	header http.Header // with the key; nobody changes it
}

// credentials gives the key of an attempt, and its headers.
func (k *keys) credentials() (string, http.Header) {
	k.lock.Lock()
	defer k.lock.Unlock()
	return k.key, k.header
}

// renewed says whether there is another key than the one that was refused. It is read only
// when nobody has done so since.
func (k *keys) renewed(refused string) bool {
	k.lock.Lock()
	defer k.lock.Unlock()
	if k.key != refused {
		return true
	}
	key, err := k.opt.Renew()
	if err != nil || key == "" || key == refused {
		return false
	}
	opt := k.opt
	opt.APIKey = key
	header, err := headers(&opt)
	if err != nil {
		return false
	}
	k.key, k.header = key, header
	return true
}

// renew notes with a refusal of the key whether there is another one by now.
func (p *attempt) renew(e *model.Error) {
	if e.Status != http.StatusUnauthorized || e.Class != model.ClassAuth || p.opt.Renew == nil {
		return
	}
	if e.Renewed = p.renewed(p.key); e.Renewed {
		e.Detail += "; the key file holds another key by now"
	} else {
		e.Detail += "; the key file was read again and holds no other key: put a valid one into it"
	}
}
