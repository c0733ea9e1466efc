'use strict'

const assert = require('node:assert/strict')

const TYPE = { 'content-type': 'multipart/related; boundary=b' }

/** A body of multipart/related: the document, and parts as they are. */
const related = (doc, parts) => Buffer.concat([Buffer.from(`--b\r\nContent-Type: application/json\r\n\r\n${JSON.stringify(doc)}`), ...parts.map(part => Buffer.concat([Buffer.from('\r\n--b'), Buffer.from(part)])), Buffer.from('\r\n--b--')])

const part = (name, content) => `\r\nContent-Disposition: attachment; filename="${name}"\r\n\r\n${content}`

const following = names => Object.fromEntries(names.map(name => [name, { follows: true, length: 1, content_type: 'text/plain' }]))

/** Bodies that are sent, by their size → statuses that are right. */
const bombs = {
  'parts that nobody asked for': [n => related({}, Array.from({ length: n }, (_, i) => part(`p${i}`, 'x'))), [400]],
  'attachments of a byte': [n => related({ _attachments: following(Array.from({ length: n }, (_, i) => `p${i}`)) }, Array.from({ length: n }, (_, i) => part(`p${i}`, 'x'))), [201, 413]],
  'attachments that do not follow': [n => related({ _attachments: following(Array.from({ length: n }, (_, i) => `p${i}`)) }, []), [400]],
  'parts in the wrong order': [n => related({ _attachments: following(Array.from({ length: n }, (_, i) => `p${i}`)) }, Array.from({ length: n }, (_, i) => part(`p${n - 1 - i}`, 'x'))), [201, 413]],
  'headers without end': [n => related({ _attachments: following(['a']) }, [`\r\n${'X-A: b\r\n'.repeat(10 * n)}\r\nx`]), [400]],
  'a header of one line without end': [n => related({ _attachments: following(['a']) }, [`\r\nX-A: ${'b'.repeat(100 * n)}`]), [400]],
  'what is nearly a boundary': [n => related({ _attachments: { a: { follows: true, length: 6 * n, content_type: 'text/plain' } } }, [part('a', '\r\n--a\n'.repeat(n))]), [201]],
  'empty parts': [n => Buffer.from(`--b\r\nContent-Type: application/json\r\n\r\n{}${'\r\n--b\r\n\r\n'.repeat(10 * n)}\r\n--b--`), [400]],
  'a preamble without end': [n => Buffer.from('--a\r\n'.repeat(20 * n)), [400]],
  'a body within a body': [n => related({ _attachments: { a: { follows: true, length: 5, content_type: TYPE['content-type'] } } }, Array.from({ length: n }, () => part('a', '--b--'))), [400]],
  'a document of nothing else': [n => related({ text: 'x'.repeat(900 * n) }, []), [201, 413]]
}

/** @type {import('../support/run-shape').Shape} */
module.exports = {
  name: 'multipart',
  what: 'multipart bodies of very many, very long and misplaced parts are taken or refused, and hold nobody up',
  sizes: { short: { parts: 2000, kept: 4, size: 8 }, long: { parts: 50_000, kept: 16, size: 64 } },
  bounds: { stall: 450, peak: 600, left: 200 },

  async attack (subject, { parts, kept, size }) {
    await subject.done('PUT', '/m')
    let n = 0
    for (const [what, [body, statuses]] of Object.entries(bombs)) {
      const { status, text } = await subject.ask('PUT', `/m/d${n++}`, /** @type {(n: number) => Buffer} */ (body)(parts), TYPE)
      assert.ok(/** @type {number[]} */ (statuses).includes(status), `${what}: ${status} ${text.slice(0, 300)}`)
    }
    await subject.done('POST', '/m/_ensure_full_commit', {})
    await keepBack(subject, kept, size)
    await forms(subject, parts)
  },
  faults: /$^/
}

/** Many at once whose parts come in the wrong order, so that they have to be kept until the first is there. */
async function keepBack (subject, count, size) {
  const content = 'x'.repeat(size * 2 ** 20)
  const body = related({ _attachments: { a: { follows: true, length: 1, content_type: 'text/plain' }, b: { follows: true, length: content.length, content_type: 'text/plain' } } }, [part('b', content), part('a', 'x')])
  const answers = await Promise.all(Array.from({ length: count }, (_, n) => subject.ask('PUT', `/m/kept${n}`, body, TYPE)))
  for (const { status, text } of answers) assert.ok([201, 413, 503].includes(status), text)
}

async function forms (subject, parts) {
  const body = Array.from({ length: parts }, (_, n) => `--b\r\nContent-Disposition: form-data; name="f${n}"\r\n\r\nx\r\n`).join('') + '--b--'
  const { status } = await subject.ask('POST', '/m/form', body, { 'content-type': 'multipart/form-data; boundary=b', referer: subject.origin.href })
  assert.equal(status, 413)
}
