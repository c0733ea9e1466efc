'use strict'

const assert = require('node:assert')
const { checkOptions, nearestOf, unknownMember } = require('@potoroo/errors/known-options')

describe('known options', () => {
  const known = ['storage', 'path', 'readOnly']

  it('pass, and so does what is undefined', () => {
    checkOptions(undefined, known, 'f()')
    checkOptions({}, known, 'f()')
    checkOptions({ storage: null, readOnly: false, other: undefined }, known, 'f()')
  })

  it('are named where one is misspelt', () => {
    assert.throws(() => checkOptions({ path: 'a', storge: 'memory' }, known, 'f()'), { name: 'TypeError', message: 'f() has no option storge; do you mean storage?' })
    assert.throws(() => checkOptions({ readonly: true }, known, 'f()'), { name: 'TypeError', message: 'f() has no option readonly; do you mean readOnly?' })
  })

  it('are listed where none is near', () => {
    assert.throws(() => checkOptions({ folder: 'a' }, known, 'f()'), { name: 'TypeError', message: 'f() has no option folder: its options are storage, path, readOnly' })
  })

  it('are none of some functions', () => {
    checkOptions({}, [], 'f()')
    assert.throws(() => checkOptions({ folder: 'a' }, [], 'f()'), { name: 'TypeError', message: 'f() has no option folder: it takes none' })
  })

  it('are members of an object', () => {
    for (const wrong of ['storage', 7, null, ['storage']]) assert.throws(() => checkOptions(wrong, known, 'f()'), { name: 'TypeError', message: 'The options of f() must be an object' })
  })

  it('are members of a request', () => {
    assert.equal(unknownMember({ path: 'a', other: undefined }, known, 'A request'), undefined)
    assert.equal(unknownMember({ pth: 'a' }, known, 'A request'), 'A request has no `pth`; do you mean `path`?')
    assert.equal(unknownMember({ folder: 'a' }, known, 'A request'), 'A request has no `folder`')
  })

  it('are near by a letter in a short name, and by three in a long one', () => {
    assert.equal(nearestOf('prot', ['port', 'host']), 'port')
    assert.equal(nearestOf('pth', known), 'path')
    assert.equal(nearestOf('pat', ['port']), undefined)
    assert.equal(nearestOf('alowVolatil', ['allowVolatile']), 'allowVolatile')
    assert.equal(nearestOf('x', []), undefined)
  })
})
