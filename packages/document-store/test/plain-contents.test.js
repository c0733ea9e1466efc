'use strict'

const assert = require('node:assert/strict')
const { PlainContents } = require('../lib/attachments/plain-contents')

const bytes = (length) => Buffer.alloc(length, 1)

describe('plain contents', () => {
  it('are known by their names', () => {
    const contents = new PlainContents()
    contents.add('a', Buffer.from('x'))
    assert.deepEqual([contents.get('a'), contents.get('b')], [Buffer.from('x'), undefined])
  })

  it('leave room for others: those that nobody has asked for longest go', () => {
    const contents = new PlainContents(30)
    for (const name of ['a', 'b', 'c']) contents.add(name, bytes(10))
    contents.get('a')
    contents.add('d', bytes(10))
    assert.deepEqual(['a', 'b', 'c', 'd'].filter((name) => contents.get(name) !== undefined), ['a', 'c', 'd'])
    contents.add('e', bytes(25))
    assert.deepEqual(['a', 'c', 'd', 'e'].filter((name) => contents.get(name) !== undefined), ['e'])
  })

  it('are counted once', () => {
    const contents = new PlainContents(20)
    for (let time = 0; time < 5; time++) contents.add('a', bytes(10))
    contents.add('b', bytes(10))
    assert.deepEqual([contents.get('a')?.length, contents.get('b')?.length], [10, 10])
  })

  it('are not kept where they are long', () => {
    const contents = new PlainContents()
    contents.add('a', bytes(16 * 1024))
    contents.add('b', bytes(16 * 1024 + 1))
    assert.deepEqual([contents.get('a')?.length, contents.get('b')], [16 * 1024, undefined])
  })
})
