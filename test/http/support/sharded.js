'use strict'

const assert = require('node:assert/strict')
const crypto = require('node:crypto')
const { post, put, remove } = require('./request')

/** Documents in all of several shards. */
const some = Array.from({ length: 20 }, (_, i) => ({ _id: `d${i}`, i }))

/** Makes databases that are removed after each test. */
function databases () {
  const names = []
  afterEach(async () => { for (const name of names.splice(0)) await remove(`/${name}`) })
  return async (q, more = '') => {
    const name = `shards-${crypto.randomUUID()}`
    names.push(name)
    assert.equal((await put(`/${name}?q=${q}${more}`)).status, 201)
    return name
  }
}

/** Makes a database of four shards before each test. @param {(name: string) => void} take */
function fourShards (take) {
  const make = databases()
  let name
  beforeEach(async () => take(name = await make(4)))
  return { make, bulk: docs => post(`/${name}/_bulk_docs`, { docs }) }
}

module.exports = { databases, fourShards, some }
