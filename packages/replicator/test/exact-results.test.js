'use strict'

const assert = require('node:assert/strict')
const fc = require('fast-check')
const { exactResults, withoutMember } = require('../lib/remote/exact-results')

describe('documents as they stand in an answer', () => {
  const answer = texts => `{"results":[${texts.map(text => `{"id":"x","docs":[{"ok":${text}}]}`).join(',')}]}`

  it('are not looked for where JavaScript loses nothing', () => {
    assert.equal(exactResults(answer(['{"a":1}'])), null)
  })

  it('keep their numbers', () => {
    const texts = ['{"_id":"a","n":12345678901234567890}', '{ "s": "\\"}{\\\\", "n": [1.0, {"ok": {}}] }', '{}']
    assert.deepEqual(exactResults(answer(texts)), texts)
  })

  it('are found among errors', () => {
    const text = '{"results":[{"docs":[{"error":{"ok":"ok","n":12345678901234567890}}]}, {"docs" : [ { "ok" : {"a":1} } ]}]}'
    assert.deepEqual(exactResults(text), [undefined, '{"a":1}'])
  })

  it('are the first of their results, where some have several', () => {
    const text = '{"results":[{"docs":[{"ok":{"a":12345678901234567890}},{"ok":{"b":1}}]},{"docs":[{"ok":{"c":1}}]}]}'
    assert.deepEqual(exactResults(text), ['{"a":12345678901234567890}', '{"c":1}'])
  })

  it('end where an answer has what is no document', () => {
    for (const ok of ['12345678901234567890', '[12345678901234567890]', '"x 12345678901234567890"']) {
      assert.deepEqual(exactResults(`{"results":[{"docs":[{"n":[12345678901234567890],"ok":${ok},"x":"{"}]},{"docs":[{"ok":{}}]}]}`), [undefined, '{}'])
    }
  })

  it('are found whatever they hold', () => {
    fc.assert(fc.property(fc.array(fc.dictionary(fc.string(), fc.jsonValue())), values => {
      const texts = values.map(value => JSON.stringify({ first: 1, ...value }).replace(/\}$/, ',"last":12345678901234567890}'))
      if (texts.length > 0) assert.deepEqual(exactResults(answer(texts)), texts)
    }))
  })

  it('lose one member, wherever it stands', () => {
    fc.assert(fc.property(fc.dictionary(fc.string().filter(name => name !== '_attachments' && name !== '__proto__'), fc.jsonValue()), fc.nat(5), (others, at) => {
      const entries = Object.entries(others)
      const all = [...entries.slice(0, at), ['_attachments', { 'a}"': { b: [] } }], ...entries.slice(at)]
      const text = `{${all.map(([name, value]) => `${JSON.stringify(name)} : ${JSON.stringify(value)}`).join(' , ')}}`
      assert.deepEqual(JSON.parse(withoutMember(text, '_attachments')), JSON.parse(JSON.stringify(Object.fromEntries(entries))))
    }))
  })
})
