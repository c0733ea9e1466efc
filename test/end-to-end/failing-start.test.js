'use strict'

const assert = require('node:assert')
const { once } = require('node:events')
const { existsSync, mkdtempSync, openSync, closeSync, rmSync, statSync, truncateSync, writeFileSync, writeSync } = require('node:fs')
const net = require('node:net')
const path = require('node:path')
const { DataFolder, admin } = require('./data-folder')
const { HttpClient } = require('./http-client')
const { ServerProcess } = require('../support/server-process')

/** One line or two that a user can act on: no stack, and no signal. */
async function assertFails (server, words) {
  const { code, signal, stderr } = await server.exited
  assert.strictEqual(signal, null, stderr)
  assert.strictEqual(code, 1, stderr)
  assert.match(stderr, words)
  assert.doesNotMatch(stderr, /^\s+at /m, 'no stack')
}

/** @returns {string} the file of the pool that holds its header: the largest, or the first of equals */
function poolFile (folder) {
  const files = folder.files().filter(file => !file.endsWith('.ini')).sort()
  return files.reduce((best, file) => statSync(file).size > statSync(best).size ? file : best)
}

function overwrite (file, offset, bytes) {
  const descriptor = openSync(file, 'r+')
  writeSync(descriptor, bytes, 0, bytes.length, offset)
  closeSync(descriptor)
}

describe('a start that cannot be', () => {
  let folder

  beforeEach(() => { folder = new DataFolder() })
  afterEach(() => folder.remove())

  it('says that the data folder is in use, and leaves who uses it alone', async () => {
    const first = await folder.start()
    await assertFails(folder.begin(), /in use/)
    const { couchdb } = await new HttpClient(await first.started, admin).ask('GET', '/')
    assert.strictEqual(couchdb, 'Welcome')
  })

  it('says that the port is in use', async () => {
    const other = net.createServer().listen(0, '127.0.0.1')
    await once(other, 'listening')
    const { port } = /** @type {net.AddressInfo} */ (other.address())
    await assertFails(new ServerProcess([...folder.words(), '--port', String(port)]), new RegExp(`port ${port}.*in use`))
    other.close()
  })

  it('leaves no new data folder behind where the port is in use', async () => {
    const other = net.createServer().listen(0, '127.0.0.1')
    await once(other, 'listening')
    const { port } = /** @type {net.AddressInfo} */ (other.address())
    const data = path.join(folder.path, 'new')
    await assertFails(new ServerProcess(['--data', data, '--storage', 'classic-level', '--port', String(port)]), /in use/)
    assert.ok(!existsSync(data))
    other.close()
  })

  for (const [what, place] of Object.entries({ 'of the kernel': '/proc/potoroo', 'of the kernel, which is there': '/proc', 'below a file': '/dev/null/potoroo' })) {
    it(`says that nothing can be made in a folder ${what}`, async function () {
      if (!existsSync('/proc/self')) return this.skip()
      await assertFails(new ServerProcess(['--port', '0', '--data', place, '--storage', 'classic-level']), new RegExp(`^potoroo: nothing can be made in ${place}: `))
    })
  }

  const certificates = path.resolve(__dirname, '../support/certificates')
  for (const [given, file, missing] of [['--tls-cert', 'first.crt', '--tls-key'], ['--tls-key', 'first.key', '--tls-cert'], ['--tls-cert', 'none.crt', 'cannot read']]) {
    it(`says what is missing beside ${given} ${file}, and leaves no data folder`, async () => {
      const data = path.join(folder.path, 'new')
      await assertFails(new ServerProcess(['--port', '0', '--data', data, '--storage', 'classic-level', given, path.join(certificates, file)]), new RegExp(`^potoroo: \\[ssl\\].*${missing}`))
      assert.ok(!existsSync(data))
    })
  }

  const damages = {
    'whose header is zeroed': file => overwrite(file, 0, Buffer.alloc(4096)),
    'whose header is noise': file => overwrite(file, 0, Buffer.alloc(4096, 0xa5)),
    'whose own structures are noise': file => overwrite(file, 8192, Buffer.alloc(statSync(file).size - 8192, 0xa5)),
    'that is cut short': file => truncateSync(file, 100_000),
    'that is a text file': file => writeFileSync(file, 'This is not a pool.\n')
  }
  for (const [what, damage] of Object.entries(damages)) {
    it(`names a pool ${what}`, async () => {
      const server = await folder.start()
      await new HttpClient(await server.started, admin).ask('PUT', '/todos')
      await server.end('SIGTERM')
      damage(poolFile(folder))
      await assertFails(folder.begin(), new RegExp(`${folder.path}.*(pool|corrupt|damaged|cut short)`, 'is'))
    })
  }

  it('takes no pool on a file system that forgets, unless it is asked to', async function () {
    if (!existsSync('/dev/shm')) return this.skip()
    const data = mkdtempSync('/dev/shm/potoroo-volatile-')
    try {
      const server = new ServerProcess(['--port', '0', '--storage', 'pmem', '--data', path.join(data, 'pool')])
      await assertFails(server, /--allow-volatile/)
    } finally {
      rmSync(data, { recursive: true, force: true })
    }
  })

  it('explains an option it does not know', async () => {
    await assertFails(new ServerProcess(['--prot', '1']), /unknown option '--prot'/)
  })
})
