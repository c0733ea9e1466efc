'use strict'

const assert = require('node:assert/strict')
const { shownGiven, stripCredentials, defaults } = require('..')

describe('endpoints', () => {
  for (const [given, shown] of [
    ['http://ann:open-sesame@example.com/db', 'http://example.com/db'],
    ['https://ann:open%2Fsesame@example.com:5984/db?x=1', 'https://example.com:5984/db?x=1'],
    ['HTTP://ann@example.com/db', 'HTTP://example.com/db'],
    ['http://ann:open/sesame@example.com/db', 'http://example.com/db'],
    ['http://example.com/a@b', 'http://example.com/a@b'],
    ['todos', 'todos'],
    [undefined, undefined],
    [{ url: 'http://ann:open-sesame@example.com/db', headers: { Cookie: 'x' }, auth: {}, note: 1 }, { url: 'http://example.com/db', note: 1 }]
  ]) {
    it(`of documents are seen without credentials: ${JSON.stringify(given)}`, () => assert.deepEqual(stripCredentials(given), shown))
  }

  it('are shown without credentials, or not at all', () => {
    assert.equal(shownGiven('http://ann:open-sesame@example.com/db', defaults), 'http://example.com/db/')
    assert.equal(shownGiven('todos', defaults), 'todos')
    for (const given of ['http://ann:open/sesame@example.com/db', 'ftp://ann:x@example.com/db', { url: 3 }, 3, undefined]) assert.equal(shownGiven(given, defaults), null)
  })
})
