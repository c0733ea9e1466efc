'use strict'

const assert = require('node:assert/strict')
const { pickFields } = require('..')

describe('the fields that a live find gives', () => {
  it('are those of the document, by any names', () => {
    const doc = JSON.parse('{"_id":"a","n":{"m":1,"o":2},"l":[1,2],"__proto__":{"stolen":1,"constructor":2},"zero":0}')
    const picked = pickFields(doc, ['_id', 'n.m', 'l', '__proto__.stolen', '__proto__.constructor', 'zero', 'none', 'n.none'])
    assert.equal(JSON.stringify(picked), '{"_id":"a","n":{"m":1},"l":[1,2],"__proto__":{"stolen":1,"constructor":2},"zero":0}')
    assert.equal(Object.getPrototypeOf(picked), Object.prototype)
    assert.equal(/** @type {any} */ ({}).stolen, undefined)
    assert.deepEqual(Object.keys(pickFields(JSON.parse('{"__proto__":1}'), ['__proto__'])), ['__proto__'])
  })
})
