'use strict'

const assert = require('node:assert/strict')
const { isAnswerable } = require('../lib/workers/answerable')

describe('a request that a reading thread may answer', () => {
  const asked = (url, isDurableAtOnce) => isAnswerable({ method: 'GET', url, headers: {} }, isDurableAtOnce)

  it('reads documents, whatever is durable', () => {
    for (const url of ['/', '/db/doc', '/db/doc?rev=1-a', '/db/_all_docs?limit=1', '/db/doc/attachment']) {
      for (const isDurable of [true, false]) assert.equal(asked(url, isDurable), true, url)
    }
  })

  it('tells sequences only where all that is seen is durable', () => {
    for (const url of ['/db/_changes', '/db/_changes?limit=1', '/db/_all_docs?update_seq=true', '/db/doc?local_seq=true']) {
      assert.equal(asked(url, true), true, url)
      assert.equal(asked(url, false), false, url)
    }
  })

  it('asks for nothing else', () => {
    for (const url of ['/_users/x', '/db/doc?w=2', '/db/_changes?feed=continuous', '/db', '/db/_design/d/_view/v', '*']) assert.equal(asked(url, true), false, url)
  })
})
