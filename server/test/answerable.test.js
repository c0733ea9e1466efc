'use strict'

const assert = require('node:assert/strict')
const { mayGiveBack, answerable } = require('../lib/workers/answerable')

const isAnswerable = (req, isDurableAtOnce) => answerable(req, isDurableAtOnce) !== null

describe('a request that a reading thread may answer', () => {
  const asked = (url, isDurableAtOnce) => isAnswerable({ method: 'GET', url, headers: {} }, isDurableAtOnce)

  it('reads documents, whatever is durable', () => {
    for (const url of ['/', '/db/doc', '/db/doc?rev=1-a', '/db/_all_docs?limit=1', '/db/doc/attachment']) {
      for (const isDurable of [true, false]) assert.equal(asked(url, isDurable), true, url)
    }
  })

  it('tells sequences only where all that is seen is durable', () => {
    for (const url of ['/db/_changes', '/db/_changes?limit=1', '/db/_all_docs?update_seq=true', '/db/doc?local_seq=true', '/db/_design/d/_view/v?update_seq=true']) {
      assert.equal(asked(url, true), true, url)
      assert.equal(asked(url, false), false, url)
    }
  })

  it('searches, with a body that is kept', () => {
    for (const url of ['/db/_design/d/_search/i?q=a&limit=1', '/db/_design/d/_nouveau/i?q=a', '/db/_partition/p/_design/d/_search/i?q=a']) assert.equal(asked(url, false), true, url)
    const sent = headers => isAnswerable({ method: 'POST', url: '/db/_design/d/_search/i', headers }, false)
    assert.equal(sent({ 'content-length': '20' }), true)
    for (const headers of [{ 'content-length': '2000000' }, { 'transfer-encoding': 'chunked' }, { 'content-length': '20', 'content-encoding': 'gzip' }]) assert.equal(sent(headers), false)
  })

  it('asks for views of the present', () => {
    for (const url of ['/db/_design/d/_view/v?start_key=1&group=true', '/db/_partition/p/_design/d/_view/v?update=false']) assert.equal(asked(url, false), true, url)
    for (const url of ['/db/_design/d/_view/v?at=1', '/db/_design/d/_view/v?callback=f', '/db/_design/d/_view/v/queries', '/db/_design/d/_list/l/v']) assert.equal(asked(url, true), false, url)
  })

  it('finds, with a body that is kept', () => {
    const sent = (url, headers) => isAnswerable({ method: 'POST', url, headers }, false)
    for (const url of ['/db/_find', '/db/_partition/p/_find']) assert.equal(sent(url, { 'content-length': '20' }), true, url)
    for (const url of ['/db/_find?feed=continuous', '/db/_find/x', '/db/_explain', '/db/_index']) assert.equal(sent(url, { 'content-length': '20' }), false, url)
    assert.equal(sent('/db/_find', { 'content-length': '2000000' }), false)
    assert.equal(isAnswerable({ method: 'GET', url: '/db/_find', headers: {} }, false), false)
  })

  it('is kept only where it may have to be given back', () => {
    const keeps = (method, url) => mayGiveBack(answerable({ method, url, headers: { 'content-length': '20' } }, false))
    for (const [method, path] of [['PUT', 'doc'], ['POST', ''], ['POST', '_bulk_docs'], ['POST', '_find'], ['POST', '_design/d/_view/v'], ['POST', '_design/d/_search/i']]) assert.equal(keeps(method, `/db/${path}`), true, path)
    for (const path of ['_bulk_get', '_revs_diff', '_missing_revs', '_all_docs']) assert.equal(keeps('POST', `/db/${path}`), false, path)
  })

  it('asks for nothing else', () => {
    for (const url of ['/_users/x', '/db/doc?w=2', '/db/_changes?feed=continuous', '/db', '/db/_design/d/_search/i?x=1', '/db/_design/d/_search_info/i', '*']) assert.equal(asked(url, true), false, url)
  })
})
