'use strict'

const assert = require('node:assert/strict')
const { carriedText, parseJson, readBare, readBareDocument, readBareResults } = require('..')
const { editHash } = require('../lib/commit/edit-hash')
const { parseDocument } = require('../lib/commit/validate')
const { MEMBERS, randomDocument, seeded } = require('./random-documents')

const request = (docs, rest = '') => `{"docs":[${docs}]${rest}}`
const bare = (text) => readBare(Buffer.from(text))

/** The edits that a write makes of them, with their hashes, or the errors that it answers. */
function editsOf ({ docs, new_edits: newEdits = true }) {
  return docs.map((doc) => {
    try {
      const { sent, ...edit } = parseDocument(doc, newEdits)
      const hash = editHash(edit.deleted, edit.parent, {}, edit.body, 'couchdb', { sent })
      return { ...edit, id: edit.fresh ? '' : edit.id, hash }
    } catch (error) {
      return error.message
    }
  })
}

/** Checks that a parser says the same, if they are taken. @returns {boolean} whether they were */
function isTakenWell (bytes) {
  const value = readBare(bytes)
  if (value === undefined) return false
  const parsed = parseJson(bytes, 2)
  assert.deepEqual({ ...value, docs: null }, { ...parsed, docs: null })
  assert.deepEqual(editsOf(value), editsOf(parsed))
  return true
}

/** The same of a document by itself. */
function isOneTakenWell (bytes) {
  const doc = readBareDocument(bytes)
  if (doc === undefined) return false
  assert.deepEqual(editsOf({ docs: [doc] }), editsOf({ docs: [parseJson(bytes, 0)] }))
  return true
}

describe('bare documents', () => {
  const taken = {
    'a body': '{"_id":"a","b":1,"c":[true,false,null,{"d":"e"},[]],"f":{}}',
    'no body': '{"_id":"a"}',
    'no id': '{"b":1}',
    'special members behind the body': '{"b":1,"_rev":"1-x","_id":"a"}',
    'special members in it': '{"b":1,"_id":"a","c":2,"_deleted":true,"d":3,"_revisions":{"start":2,"ids":["b","a"]}}',
    'other characters': '{"_id":"ä€\u{1f600}","ä":"\u{1f600}\u2028\u007f"}',
    escapes: '{"_id":"a\\"\\\\b","b":"\\n\\r\\t\\b\\f\\"\\\\"}',
    numbers: '{"_id":"a","n":[0,-1,12,-12.5,0.25,-0.5,123456789012345,1.10,1.0]}',
    'names like numbers': '{"_id":"a","2":1,"b":2,"1":3}',
    'names like those of objects': '{"_id":"a","hasOwnProperty":1,"toString":2,"constructor":3}',
    'equal names in several objects': '{"_id":"a","b":{"a":1,"b":{"a":1,"b":2}},"a":[{"a":1},{"a":2}]}'
  }
  for (const [name, doc] of Object.entries(taken)) {
    it(`are taken as they come: ${name}`, () => {
      assert.ok(isTakenWell(Buffer.from(request(`${doc},{"_id":"z","y":1}`))))
      for (const end of ['', '\r\n']) assert.ok(isOneTakenWell(Buffer.from(doc + end)))
    })
  }

  it('have their special members alone, and carry their body', () => {
    const { docs, new_edits: newEdits } = bare(request('{"_id":"a","_rev":"1-x","b":{"c":1},"d":2}', ',"new_edits":false') + '\n')
    assert.deepEqual([newEdits, Object.keys(docs[0]), carriedText(docs[0]).body], [false, ['_id', '_rev'], '{"b":{"c":1},"d":2}'])
  })

  it('come with any other members of the request', () => {
    const value = bare('{"new_edits":false,"__proto__":{"a":1},"docs":[{"_id":"a"}],"b":[{"c":"d"}]}')
    assert.deepEqual(Object.keys(value), ['new_edits', '__proto__', 'docs', 'b'])
    assert.equal(value.a, undefined)
  })

  const left = {
    'white space': '{"_id":"a", "b":1}',
    'an escape that is not needed': '{"_id":"a","b":"\\/"}',
    'a character by its number': '{"_id":"a","b":"\\u0041"}',
    'half of a character': '{"_id":"a","b":"\\ud83d"}',
    'an escaped name': '{"_id":"a","\\n":1}',
    'a long integer': '{"_id":"a","b":1234567890123456}',
    'a negative zero': '{"_id":"a","b":-0}',
    'an exponent': '{"_id":"a","b":1e3}',
    'two members of one name': '{"_id":"a","b":1,"b":2}',
    'two ids': '{"_id":"a","_id":"b"}',
    'two members of one name below': '{"_id":"a","b":{"c":[{"d":1,"e":2,"d":3}]}}',
    attachments: '{"_id":"a","_attachments":{}}',
    'an id that is no text': '{"_id":1}',
    'a design document': '{"_id":"_design/a"}',
    'a local document': '{"_id":"_local/a"}',
    'readers and writers': '{"_id":"a","_access":["b"]}',
    'an unknown member': '{"_id":"a","_b":1}',
    'a revision that is no text': '{"_id":"a","_rev":1}',
    'an empty document': '{}',
    'no object': '1',
    'a list': '[]',
    'very many members': JSON.stringify(Object.fromEntries(Array.from({ length: 65 }, (_, i) => [`m${i}`, i]))),
    'very many levels': `{"_id":"a","b":${'['.repeat(65)}${']'.repeat(65)}}`
  }
  for (const [name, doc] of Object.entries(left)) {
    it(`are left to a parser with ${name}`, () => {
      for (const docs of [doc, `{"_id":"z"},${doc}`, `${doc},{"_id":"z"}`]) assert.equal(bare(request(docs)), undefined)
      assert.equal(readBareDocument(Buffer.from(doc)), undefined)
    })
  }

  it('are left to a parser where very many names are alike, which takes long to tell', () => {
    const alike = (count) => JSON.stringify(Object.fromEntries(Array.from({ length: count }, (_, i) => [`name${i % 10}-${(i / 10) | 0}of`, i])))
    assert.ok(isTakenWell(Buffer.from(request(alike(40)))))
    assert.equal(bare(request(Array.from({ length: 50 }, () => alike(60)))), undefined)
  })

  const broken = [
    '', '{', '{}', '[]', 'null', '{"docs"}', '{"docs":}', '{"docs":1}', '{"docs":{}}', '{"docs":[]}', '{"docs":[{"a":1}]', '{"docs":[{"a":1}',
    '{"docs":[{"a":1},]}', '{"docs":[{"a":1,}]}', '{"docs":[{"a"}]}', '{"docs":[{"a":}]}', '{"docs":[{a:1}]}', '{"docs":[{"a":01}]}',
    '{"docs":[{"a":1.}]}', '{"docs":[{"a":.1}]}', '{"docs":[{"a":-}]}', '{"docs":[{"a":+1}]}', '{"docs":[{"a":tru}]}', '{"docs":[{"a":truee}]}',
    '{"docs":[{"a":"b}]}', '{"docs":[{"a":"\n"}]}', '{"docs":[{"a":"\\x"}]}', '{"docs":[{"a":[1,]}]}', '{"docs":[{"a":[1 2]}]}', '{"docs":[{"a":{"b":1,}}]}',
    '{"docs":[{"a":1}]}}', '{"docs":[{"a":1}]}x', ...['\u00a0', '\u2028', '\ufeff', '\f', '\0'].map(end => `{"docs":[{"a":1}]}${end}`), '{"docs":[{"a":1}],"docs":[{"a":2}]}', ' {"docs":[{"a":1}]}', '\ufeff{"docs":[{"a":1}]}', '{"docs":[{"a":"\\'
  ]
  it('are left to a parser where the JSON is broken, or another one', () => {
    for (const text of broken) assert.equal(bare(text), undefined, text)
    for (const text of ['', '{', '{"a":1', '{"a":1}}', '{"a":1},{"a":1}', ' {"a":1}', '\ufeff{"a":1}', '{"a":1}\u00a0', '{"a":1}\0']) assert.equal(readBareDocument(Buffer.from(text)), undefined, text)
    assert.equal(readBare(Buffer.from('{"docs":[{"a":"\xe4"}]}', 'latin1')), undefined)
    assert.equal(readBareDocument(Buffer.from('{"a":"\xe4"}', 'latin1')), undefined)
  })

  it('of any kind are what a parser says, and many are taken', () => {
    const random = seeded(1)
    let count = 0
    let ones = 0
    for (let i = 0; i < 500; i++) {
      const docs = Array.from({ length: 1 + random(4) }, () => randomDocument(random))
      if (isTakenWell(Buffer.from(JSON.stringify({ docs, new_edits: random(2) === 0 })))) count++
      for (const doc of docs) if (isOneTakenWell(Buffer.from(JSON.stringify(doc)))) ones++
    }
    assert.ok(count > 100, `${count} of 500`)
    assert.ok(ones > count, `${ones} by themselves`)
  })

  describe('of an answer of _bulk_get', () => {
    const answer = (...docs) => Buffer.from(`{"results":[${docs.map((doc) => `{"id":"a","docs":[{"ok":${doc}}]}`)}]}\n`)

    it('are their text, id and revision, and become documents when they are asked for', () => {
      const docs = ['{"_id":"a","_rev":"1-x","b":1,"_revisions":{"start":1,"ids":["x"]}}', '{"_id":"ä\\"","_rev":"2-y","_deleted":true}']
      const results = readBareResults(answer(...docs))
      assert.deepEqual(results.map(({ id, rev, isBare, text }) => [id, rev, isBare, text]), [['a', '1-x', true, docs[0]], ['ä"', '2-y', true, docs[1]]])
      assert.deepEqual(editsOf({ docs: results.map(({ doc }) => doc()), new_edits: false }), editsOf({ docs: docs.map((text) => JSON.parse(text)), new_edits: false }))
    })

    it('may have attachments, which take a parser', () => {
      const [result, other] = readBareResults(answer('{"_id":"a","_rev":"1-x","_attachments":{"f":{"stub":true}}}', '{"_id":"_design/b","_rev":"1-x"}'))
      assert.deepEqual([result.isBare, result.doc(), other.id, other.doc()], [false, undefined, '_design/b', undefined])
    })

    it('come with spaces, as of other servers', () => {
      const [{ text }] = readBareResults(Buffer.from('{"results": [{"id": "a", "docs": [{"ok":{"_id":"a","_rev":"1-x"}}]}]}'))
      assert.equal(text, '{"_id":"a","_rev":"1-x"}')
    })

    it('are left to a parser where they are something else', () => {
      const doc = '{"_id":"a","_rev":"1-x"}'
      const others = [
        '{"results":[]}', '{"results":[{"id":"a","docs":[]}]}', '{"results":[{"id":"a","docs":[{"error":{}}]}]}', '{"results":[{"id":"a","docs":[{"ok":1}]}]}',
        `{"results":[{"id":"a","docs":[{"ok":${doc}},{"ok":${doc}}]}]}`, `{"results":[{"id":1,"docs":[{"ok":${doc}}]}]}`, `{"results":[{"id":"a","docs":[{"ok":${doc}}]}`,
        `{"results":[{"id":"a","docs":[{"ok":${doc}}]},]}`, `{"results":[{"id":"a","docs":[{"ok":${doc}}]}]}x`, `[{"id":"a","docs":[{"ok":${doc}}]}]`, ''
      ]
      for (const text of others) assert.equal(readBareResults(Buffer.from(text)), undefined, text)
      assert.equal(readBareResults(answer(doc, '{"_id":"a", "_rev":"1-x"}')), undefined)
    })
  })

  it('with a byte that is not right are what a parser says, or left to it', () => {
    const random = seeded(2)
    const bytes = MEMBERS.join('') + '{}[]:,"\\ \n0123456789.-eEtruefalsn\x00\x1f\x7f\xe4'
    let count = 0
    for (let i = 0; i < 20_000; i++) {
      const body = Buffer.from(JSON.stringify({ docs: [randomDocument(random), randomDocument(random)] }))
      const at = random(body.length)
      const other = Buffer.from([bytes.charCodeAt(random(bytes.length))])
      const parts = [body.subarray(0, at), other, body.subarray(at + random(2))]
      if (isTakenWell(Buffer.concat(parts))) count++
      isOneTakenWell(Buffer.concat(parts).subarray('{"docs":['.length, -']}'.length))
    }
    assert.ok(count > 100, `${count} of 20,000`)
  })
})
