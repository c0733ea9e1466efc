'use strict'

const assert = require('node:assert')
const { spawn } = require('node:child_process')
const { once } = require('node:events')
const path = require('node:path')
const { DataFolder, admin } = require('./data-folder')
const { HttpClient } = require('./http-client')

const program = path.resolve(__dirname, '../../server/bin/potoroo.js')

async function shrink (words) {
  const child = spawn(process.execPath, [program, 'compact', '--shrink', ...words])
  const output = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr']) child[name].setEncoding('utf8').on('data', text => { output[name] += text })
  const [code] = await once(child, 'close')
  return { code, ...output }
}

describe('potoroo compact --shrink', function () {
  this.timeout(600_000)
  const folders = []

  after(async () => { for (const folder of folders) await folder.remove() })

  /** A server with a database that has had many documents, and one with a few. */
  async function started (storage) {
    const folder = new DataFolder(storage)
    folders.push(folder)
    const server = await folder.start()
    const client = new HttpClient(await server.started, admin)
    for (const name of ['big', 'small']) await client.ask('PUT', `/${name}`)
    for (let i = 0; i < 30; i++) {
      await client.ask('POST', '/big/_bulk_docs', { docs: Array.from({ length: 500 }, () => ({ text: 'x'.repeat(2000) })) })
      await client.ask('PUT', `/small/${i}`, { i })
    }
    const url = new URL(await server.started)
    url.username = admin.name
    url.password = admin.password
    return { folder, server, client, url: url.href }
  }

  it('gives the disk back what a pool does not need, of a server that runs and of a folder', async () => {
    const { folder, server, client, url } = await started('pmem')
    await client.ask('DELETE', '/big')
    const shrinking = shrink(['--server', url])
    for (let i = 30; i < 60; i++) await client.ask('PUT', `/small/${i}`, { i })
    const { code, stdout } = await shrinking
    assert.strictEqual(code, 0)
    assert.match(stdout, /^on disk: .* before, .* now\n$/)
    const { before, after } = await client.ask('POST', '/_shrink', {})
    assert.ok(before < 30 * 2 ** 20 && after <= before, `${before} and ${after}`)
    assert.strictEqual((await client.ask('GET', '/small')).doc_count, 60)
    await server.end('SIGTERM')
    assert.strictEqual((await shrink(['--data', folder.path])).code, 0)
    const again = await folder.start()
    assert.strictEqual((await new HttpClient(await again.started, admin).ask('GET', '/small/59')).i, 59)
  })

  it('is refused where there is no pool', async () => {
    const { url } = await started('classic-level')
    const { code, stderr } = await shrink(['--server', url])
    assert.deepStrictEqual([code, stderr], [1, 'potoroo: the server refused: Only a pool can be shrunk. LevelDB shrinks by itself.\n'])
  })
})
