'use strict'

const assert = require('node:assert')
const { execFile } = require('node:child_process')
const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')

const program = path.resolve(__dirname, '../../server/bin/potoroo.js')

/** `potoroo …`, which fails: what it says on standard error. */
async function refusal (...words) {
  const { code, stderr } = await new Promise(resolve => execFile(process.execPath, [program, ...words], (error, stdout, stderr) => resolve({ code: error?.code ?? 0, stderr })).stdin?.end())
  assert.strictEqual(code, 1, stderr)
  return stderr
}

describe('errors of commands', function () {
  this.timeout(600_000)
  let folder, data, nothing

  before(async () => {
    const { openStorage } = require('../../server/lib/storage/open-storage')
    folder = fs.mkdtempSync(path.join(os.tmpdir(), 'potoroo-errors-'))
    data = path.join(folder, 'data')
    nothing = path.join(folder, 'nothing')
    fs.mkdirSync(data, { mode: 0o700 })
    fs.writeFileSync(path.join(folder, 'short.key'), 'short', { mode: 0o600 })
    fs.writeFileSync(path.join(folder, 'text'), 'text')
    const { close } = await openStorage(/** @type {any} */ ({ folder: data, storage: 'classic-level', allowVolatile: true }))
    await close()
  })

  after(() => fs.rmSync(folder, { recursive: true, force: true }))

  const absent = 'there is no such file or folder'

  it('name the file that they are about', async () => {
    const at = name => path.join(folder, name)
    for (const [words, said] of [
      [['backup', `${nothing}/x`, '--data', data], `cannot make ${nothing}/x: ${absent}`],
      [['backup', at('x'), '--data', data, '--key-file', nothing], `the key file ${nothing} cannot be used: ${absent}`],
      [['backup', at('x'), '--data', data, '--key-file', at('short.key')], `the key file ${at('short.key')} cannot be used: a key is 32 bytes, or 64 hexadecimal digits`],
      [['rotate-key', '--new-key-file', nothing, '--data', data], `the key file ${nothing} cannot be used: ${absent}`],
      [['export', '--to', at('text/x'), '--data', data], `cannot make ${at('text/x')}: what should be a folder on the way is a file`],
      [['restore', folder, '--data', nothing], `${folder} is a folder, and no backup`],
      [['restore', at('text'), '--data', at('text/x')], `nothing can be made in ${at('text/x')}: what should be a folder on the way is a file`],
      [['import', nothing, '--data', data], `${nothing} does not exist`],
      [['serve', '--port', '0', '--data', data, '--allow-volatile', '--tls-cert', nothing, '--tls-key', at('text')], `[ssl]: cannot read ${nothing}: ${absent}`]
    ]) assert.strictEqual(await refusal(...words), `potoroo: ${said}\n`)
    const key = await refusal('serve', '--port', '0', '--data', data, '--allow-volatile', '--tls-cert', path.resolve(__dirname, '../support/certificates/first.crt'), '--tls-key', at('text'))
    assert.ok(key.startsWith(`potoroo: [ssl]: ${at('text')} cannot be used: `), key)
    assert.deepStrictEqual(fs.readdirSync(folder).sort(), ['data', 'short.key', 'text'])
  })

  it('name the PostgreSQL that does not answer, and not its password', async () => {
    const said = await refusal('serve', '--port', '0', '--data', data, '--storage', 'postgres://anna:secret@127.0.0.1:1/potoroo')
    assert.match(said, /^potoroo: cannot open postgres:\/\/anna@127\.0\.0\.1:1\/potoroo: .*ECONNREFUSED/)
    assert.doesNotMatch(said, /secret/)
  })

  it('name the server that they are about', async () => {
    for (const [url, said] of [
      ['http://anna:secret@127.0.0.1:1', 'http://127.0.0.1:1 does not answer: nobody listens there'],
      ['http://anna:secret@nowhere.invalid', /^potoroo: http:\/\/nowhere\.invalid does not answer: /],
      ['anna:secret@localhost', '--server is no URL of a server, such as http://host:5984']
    ]) {
      const text = await refusal('check', '--server', String(url))
      if (typeof said === 'string') assert.strictEqual(text, `potoroo: ${said}\n`)
      else assert.match(text, said)
    }
  })
})
