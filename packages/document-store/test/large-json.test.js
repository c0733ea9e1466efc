'use strict'

const assert = require('node:assert/strict')
const fc = require('fast-check')
const { carriedText, namesOf, parseJson, parseLargeJson, stringifyExact } = require('@potoroo/document-store')

/** Longer than a group. */
const LONG = 70_000

/** Asserts that both give the same, or refuse alike. */
async function assertSame (bytes) {
  const outcome = async parse => {
    try {
      return { value: await parse(bytes) }
    } catch (error) {
      return { status: error.status, error: error.error, reason: error.reason }
    }
  }
  const [expected, found] = [await outcome(parseJson), await outcome(parseLargeJson)]
  assert.deepEqual(found, expected, bytes.subarray(0, 200).toString())
  // The order of members too.
  assert.equal(JSON.stringify(found), JSON.stringify(expected))
}

const blank = ' '.repeat(LONG)
const items = (count, item) => Array.from({ length: count }, (_, i) => item(i)).join(',')

describe('large JSON', () => {
  it('is what JSON.parse gives', async () => {
    const texts = [
      '1', '"a"', '{}', '[]', `{}${blank}`, `[${blank}]`, `${blank}[1]`, `"${'x'.repeat(LONG)}"`,
      `[${items(50_000, i => i)}]`, `{"docs":[${items(50_000, i => `{"_id":"${i}"}`)}],"new_edits":false}`,
      `{${items(50_000, i => `"m${i}":[${i}]`)}}`, `{${items(50_000, i => `"${i % 1000}":${i}`)}}`,
      `[1, [${items(50_000, i => `"${i}"`)}] , 2, {"a" : {"b":[${items(50_000, i => i)}]} , "c":1}, []]`,
      `{"a":[${items(50_000, i => i)}],"a":1,"__proto__":[${items(50_000, i => i)}],"b":2,"__proto__":{"x":1}}`,
      `["${'\\"],['.repeat(LONG)}",[${items(20_000, i => '"\\\\"')}],"ü"]`
    ]
    for (const text of texts) await assertSame(Buffer.from(text))
  })

  it('is refused where JSON.parse refuses it', async () => {
    const list = `[${items(50_000, i => i)}]`
    const texts = [
      '', '[', '{"a"', '"', `[${list}`, `${list}]`, `${list}${list}`, `[${list}${list}]`, `[${list},]`, `[,${list}]`, `[${list},,1]`, `[${list} 1]`, `[1 ${list}]`,
      `{${list}}`, `{"a"${list}}`, `{"a":1 ${list}}`, `{"a": nul${list}}`, `{"a":${list} 1}`, `{"a":${list},}`, `{"a":${list},"b"}`, `{"a":1,${list}}`, `{"a":"b":${list}}`,
      `${list.slice(0, -1)},]`, `${list.slice(0, -1)}}`, `x${list}`, `${list}x`, `${list},1`, `,${list}`, `${blank}x${list}`, `[${blank},${list}]`, `{"a":${list}]`, `["a\\",${list}]`,
      `[${list},"\\ud800"]`, `{"\\udc00":${list}}`, `[\\"${list}\\"]`, `\ufeff${list}`, `[${list},1e999]`, `[${list},${'1'.repeat(400)}]`
    ]
    for (const text of texts) await assertSame(Buffer.from(text))
    await assertSame(Buffer.concat([Buffer.from('["'), Buffer.from([0xff]), Buffer.from(`",${list}]`)]))
    await assertSame(Buffer.concat([Buffer.from(`[${list}`), Buffer.from([0xc3])]))
  })

  it('is as JSON.parse has it when it is cut, or a byte of it changes', async () => {
    const member = fc.letrec(tie => ({
      value: fc.oneof(fc.string({ unit: 'binary' }), fc.integer(), fc.constant(null), fc.constantFrom('x'.repeat(LONG), Array(20_000).fill(1)), fc.array(tie('value'), { maxLength: 5 }), fc.dictionary(fc.string(), tie('value'), { maxKeys: 5 }))
    })).value
    await fc.assert(fc.asyncProperty(member, fc.nat(), fc.constantFrom(...'[]{},:"\\ 1x'), fc.constantFrom('whole', 'cut', 'changed', 'inserted'), async (value, position, byte, kind) => {
      const bytes = Buffer.from(JSON.stringify({ a: [value, 'y'.repeat(LONG)], b: value }))
      const at = position % bytes.length
      const rest = kind === 'cut' ? [] : [Buffer.from(kind === 'whole' ? '' : byte), bytes.subarray(kind === 'changed' ? at + 1 : at)]
      await assertSame(kind === 'whole' ? bytes : Buffer.concat([bytes.subarray(0, at), ...rest]))
    }), { numRuns: 60 })
  })

  it('keeps integers as they came, of one document and of several', async () => {
    const digits = '12345678901234567890'
    for (const text of [
      `{"a":[${items(20_000, () => digits)}],"b":${digits}}`, `{${items(20_000, i => `"m${i}":${i === 19_999 ? digits : i}`)}}`, `{"a":{${items(20_000, i => `"m${i}":${i === 19_999 ? digits : i}`)}},"b":1}`
    ]) assert.equal(stringifyExact(await parseLargeJson(Buffer.from(text))), text)
    const docs = Array.from({ length: 20_000 }, (_, i) => `{"n":${i % 7000 === 0 ? digits : i}}`)
    const { docs: found } = await parseLargeJson(Buffer.from(`{"docs":[${docs}]}`))
    assert.deepEqual(found.map(stringifyExact), docs)
  })

  describe('of a large document', () => {
    const digits = '12345678901234567890'
    const long = 'x'.repeat(300_000)
    const documents = [
      `{${items(50_000, i => `"m${i}":[${i}]`)}}`,
      `{"_id":"a",${items(50_000, i => `"m${i}":${i}`)},"_rev":"1-a","_access":["b"],"_attachments":{"f":{"data":"${long}"}}}`,
      `{"a":[${items(70_000, i => i)}],"b":{${items(50_000, i => `"_${i}":${i}`)}},"c":{"d":[[],[${items(70_000, i => i)}],{}]}, "e" : {${blank}}, "f" : [${blank}]}`,
      `{"a":"${long}","ü\\u0000\\ud83d\\ude00":"\\u00fc","__proto__":{"__proto__":[${items(70_000, i => i)}]}}`,
      `{${items(50_000, i => `"${i % 1000}":${i}`)},"z":"${long}"}`,
      `{"a":[${items(70_000, i => i)}],"b":1,"a":2,"c":[${items(70_000, i => i)}],"d":"${long}","c":[${items(70_000, i => -i)}],"b":3,"_id":"a","_id":"b"}`,
      `{"n":{${items(50_000, i => `"m${i % 20_000}":${i}`)}},"z":"${long}"}`,
      `{"a":[${items(20_000, () => digits)}],"b":${digits},"b":${digits}1,"c":{"d":${digits}},"z":"${long}"}`
    ]

    /** The document as it is written, and how many bytes of it are left to say. */
    const writtenOf = value => {
      const { body: text, special, bytes } = carriedText(value)
      assert.equal(Buffer.byteLength(text), bytes)
      return { written: JSON.parse(text), special, text }
    }

    it('is carried along as it is written', async () => {
      for (const text of documents) {
        const value = await parseLargeJson(Buffer.from(text), 0)
        const { written, special } = writtenOf(value)
        const rest = Object.fromEntries(special.map(name => [name, value[name]]))
        assert.deepEqual({ ...rest, ...written }, JSON.parse(text), text.slice(0, 100))
        assert.deepEqual(Object.keys(rest), Object.keys(rest).filter(name => Object.hasOwn(JSON.parse(text), name) && !Object.hasOwn(written, name)))
      }
    })

    it('names each member once, as often as it came', async () => {
      for (const text of documents) {
        const value = await parseLargeJson(Buffer.from(text), 0)
        assert.deepEqual(new Set(namesOf(value)), new Set(Object.keys(value)))
        assert.equal(namesOf(value).length, Object.keys(value).length)
        for (const name of ['"a":', '"m1":', '"999":']) assert.ok(writtenOf(value).text.split(name).length <= 2)
      }
    })

    it('keeps numbers and members as they came', async () => {
      const text = `{"b":1.0,"10":[${items(70_000, i => `${i}.0`)}],"9":{"2":1e2,"1":-0.0,"long":"${long}"},"a":{${items(40_000, i => `"${40_000 - i}":${i}`)}}}`
      assert.equal(writtenOf(await parseLargeJson(Buffer.from(text), 0)).text, text)
      const spaced = text.replaceAll(/([[{,:])/g, '$1 ')
      assert.equal(writtenOf(await parseLargeJson(Buffer.from(spaced), 0)).text, text)
    })

    it('keeps integers as they came', async () => {
      const { text } = writtenOf(await parseLargeJson(Buffer.from(documents[7]), 0))
      assert.equal(text, documents[7].replace(`"b":${digits},`, ''))
    })

    it('is carried in a list of documents too', async () => {
      const { docs } = await parseLargeJson(Buffer.from(`{"docs":[{"a":1.0},${documents},{"b":[${items(20_000, i => `${i}.0`)}]}]}`), 2)
      assert.equal(carriedText(docs[0]).body, '{"a":1.0}')
      assert.equal(carriedText(docs.at(-1)).body, `{"b":[${items(20_000, i => `${i}.0`)}]}`)
      for (const [i, text] of documents.entries()) assert.deepEqual(writtenOf(docs[i + 1]), writtenOf(await parseLargeJson(Buffer.from(text), 0)))
    })

    it('is cut where that is too long, but for what is special', async () => {
      const attachments = `"_attachments":{"f":{"data":"${long}"},"g":[${items(70_000, i => i)}]}`
      const text = `{${items(60_000, i => `"m${i}":[${i}]`)},"_id":"a",${attachments},"list":[${items(70_000, i => i)}]}`
      const cut = await parseLargeJson(Buffer.from(text), 0, 500_000)
      assert.equal(carriedText(cut).bytes, Infinity)
      assert.ok(Object.keys(cut).length < 50_000)
      assert.deepEqual([cut._id, cut._attachments.g.length], ['a', 70_000])
      const { bytes } = carriedText(await parseLargeJson(Buffer.from(text), 0, 2_000_000))
      assert.ok(bytes > 1_000_000 && bytes < text.length - attachments.length)
    })
  })

  it('is refused where it is nested deeply, before it is parsed', async () => {
    for (const text of ['['.repeat(1e6), `${'[{"a":'.repeat(1e5)}1${'}]'.repeat(1e5)}`]) {
      await assert.rejects(parseLargeJson(Buffer.from(text)), { status: 400, reason: 'JSON is nested too deeply' })
    }
    const deep = `[${'['.repeat(5000)}"${'x'.repeat(LONG)}"${']'.repeat(5000)}]`
    assert.equal(JSON.stringify((await parseLargeJson(Buffer.from(deep))).flat(Infinity)), `["${'x'.repeat(LONG)}"]`)
  })
})
