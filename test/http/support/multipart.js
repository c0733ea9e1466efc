'use strict'

/**
 * Puts a multipart body together.
 *
 * @param {string} boundary
 * @param {Array<{ headers?: Record<string, string>, content: string | Uint8Array }>} parts
 * @returns {Buffer}
 */
function compose (boundary, parts) {
  const chunks = parts.flatMap(({ headers = {}, content }) => [
    `--${boundary}\r\n`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`),
    '\r\n',
    content,
    '\r\n'
  ])
  return Buffer.concat([...chunks, `--${boundary}--`].map(chunk => Buffer.from(chunk)))
}

/** A document and its attachments as multipart/related; `attachments` is name → bytes or text. */
function related (boundary, doc, attachments) {
  return compose(boundary, [
    { headers: { 'Content-Type': 'application/json' }, content: JSON.stringify(doc) },
    ...Object.entries(attachments).map(([name, content]) => ({
      headers: { 'Content-Disposition': `attachment; filename="${name}"`, 'Content-Type': 'application/octet-stream', 'Content-Length': String(Buffer.byteLength(content)) },
      content
    }))
  ])
}

/**
 * Takes a multipart answer apart.
 *
 * @param {string} contentType
 * @param {Buffer} bytes
 * @returns {Array<{ headers: Record<string, string>, content: Buffer }>}
 */
function parts (contentType, bytes) {
  const boundary = /boundary="?([^";]+)"?/.exec(contentType)[1]
  const delimiter = `--${boundary}`
  const sections = []
  for (let at = bytes.indexOf(delimiter); at >= 0;) {
    const start = at + delimiter.length
    const next = bytes.indexOf(`\r\n${delimiter}`, start)
    if (next < 0) break
    sections.push(bytes.subarray(start, next))
    at = next + 2
  }
  return sections.map(section => {
    const blank = section.indexOf('\r\n\r\n')
    const lines = section.subarray(0, blank).toString('utf8').split('\r\n').filter(Boolean)
    const headers = Object.fromEntries(lines.map(line => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]))
    return { headers, content: section.subarray(blank + 4) }
  })
}

module.exports = { compose, related, parts }
