'use strict'

const assert = require('node:assert/strict')
const { execFile } = require('node:child_process')
const fs = require('node:fs/promises')
const os = require('node:os')
const path = require('node:path')
const { promisify } = require('node:util')
const { blocks, read } = require('../layers/markdown')
const { TestDatabase } = require('./support/database')
const { server } = require('./support/server')

const run = promisify(execFile)

describe('curl', () => {
  let folder

  before(async function () {
    await run('curl', ['--version']).catch(() => this.skip())
    folder = await fs.mkdtemp(path.join(os.tmpdir(), 'potoroo-curl-'))
  })
  after(() => folder && fs.rm(folder, { recursive: true, force: true }))

  it('logs in, keeps the cookie in its jar, and logs out', async () => {
    const jar = path.join(folder, 'jar')
    const curl = async (...args) => JSON.parse((await run('curl', ['-s', '-b', jar, '-c', jar, ...args])).stdout)
    const { username, password } = server.credentials
    const url = `${server.origin}/_session`
    assert.deepEqual(await curl('--data-urlencode', `name=${username}`, '--data-urlencode', `password=${password}`, url), { ok: true, name: username, roles: ['_admin'] })
    assert.match(await fs.readFile(jar, 'utf8'), /^#HttpOnly_127\.0\.0\.1\tFALSE\t\/\tFALSE\t\d+\tAuthSession\t[\w-]+$/m)
    assert.equal((await curl(url)).info.authenticated, 'cookie')
    assert.ok(Array.isArray(await curl(`${server.origin}/_all_dbs`)))
    assert.deepEqual(await curl('-X', 'DELETE', url), { ok: true })
    assert.equal((await curl(url)).userCtx.name, null)
  })

  it('is known by the name and password of its URL', async () => {
    const { username, password } = server.credentials
    const { stdout } = await run('curl', ['-s', '-u', `${username}:${password}`, `${server.origin}/_session`])
    assert.equal(JSON.parse(stdout).info.authenticated, 'default')
  })

  describe('on the page of searches', () => {
    const db = new TestDatabase()

    it('gets what the page says', async () => {
      const { username, password } = server.credentials
      const [head, ...page] = blocks(read('docs/how-to/search.md'), 'sh').map(({ code }) => code).join('').split('\n')
      assert.match(head, /^db=http:/)
      const url = new URL(db.path(), server.origin)
      Object.assign(url, { username, password })
      const script = page.filter(line => line !== 'curl -X PUT $db').join('\n')
      const { stdout } = await run('bash', ['-c', `db=${url}\ncurl () { command curl -s "$@"; echo ---; }\n${script}`])
      const answers = stdout.split('---\n').filter(text => text !== '').map(text => JSON.parse(text))
      assert.deepEqual(answers.filter(({ error }) => error !== undefined), [])
      const idsOf = ({ rows, hits, docs }) => (rows ?? hits ?? docs).map(({ id, _id = id }) => _id).sort()
      const lists = answers.filter(({ rows, hits, docs }) => rows ?? hits ?? docs).map(idsOf)
      assert.deepEqual(lists, [['a', 'b'], ['a'], ['b'], ['a', 'b'], ['a', 'b'], ['b'], ['a'], ['c']])
    })
  })
})
