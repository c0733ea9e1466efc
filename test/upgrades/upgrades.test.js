'use strict'

const assert = require('node:assert/strict')
const { execFileSync, spawnSync } = require('node:child_process')
const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const { serve } = require('../../server')
const { clientOf, content } = require('./content')

const folders = path.join(__dirname, 'folders')
const program = path.join(__dirname, '../../server/bin/potoroo.js')
const archives = fs.readdirSync(folders).sort()

describe('a data folder', () => {
  let folder

  beforeEach(() => { folder = fs.mkdtempSync(path.join(os.tmpdir(), 'potoroo-upgrades-')) })
  afterEach(() => fs.rmSync(folder, { recursive: true }))

  const open = data => serve({ path: data, allowVolatile: true, port: 0, config: { chttpd_auth: { iterations: 10 } } })
  const run = (...words) => {
    const { status, stderr } = spawnSync(process.execPath, [program, ...words], { encoding: 'utf8' })
    assert.equal(status, 0, stderr)
  }

  it('is kept of each storage', () => assert.ok(archives.length >= 2 && archives.some(name => name.endsWith('-pmem.tar.xz'))))

  for (const name of archives) {
    it(`of ${name.replace('.tar.xz', '')} opens, is sound, takes writes, and goes back by a backup`, async () => {
      const [data, backup, back] = ['data', 'before.backup', 'back'].map(each => path.join(folder, each))
      fs.mkdirSync(data, { mode: 0o700 })
      execFileSync('tar', ['-C', data, '-xJf', path.join(folders, name)])
      run('backup', backup, '--data', data)
      const expected = { documents: 52, deleted: 1, sum: 1272, found: ['doc-48', 'doc-49'], conflicts: 1, attachment: 'attached text', local: true, members: ['berta'], roles: ['r'], length: 400 }
      const server = await open(data)
      try {
        assert.deepEqual(await content(server.url), expected)
        await clientOf(server.url)('PUT', '/todos/doc-48-new', { number: 48.5 })
        assert.deepEqual((await content(server.url)).found, ['doc-48-new', 'doc-48', 'doc-49'])
      } finally {
        await server.close()
      }
      run('check', '--data', data)
      run('restore', backup, '--data', back, '--allow-volatile')
      const former = await open(back)
      try {
        assert.deepEqual(await content(former.url), expected)
      } finally {
        await former.close()
      }
    })
  }
})
