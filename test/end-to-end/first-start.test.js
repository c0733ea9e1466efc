'use strict'

const assert = require('node:assert')
const { readFileSync } = require('node:fs')
const path = require('node:path')
const { DataFolder, admin } = require('./data-folder')
const { HttpClient } = require('./http-client')

describe('the first start', () => {
  let folder

  beforeEach(() => { folder = new DataFolder('pmem', { iterations: 0 }) })
  afterEach(() => folder.remove())

  it('makes an administrator, tells the password once and keeps only its hash', async () => {
    const first = await folder.start({ withAdmin: false })
    const [, name] = /name: +(\S+)/.exec(first.output)
    const [, password] = /password: +(\S+)/.exec(first.output)
    const session = await new HttpClient(await first.started, { name, password }).ask('GET', '/_session')
    assert.deepStrictEqual(session.userCtx, { name, roles: ['_admin'] })
    assert.strictEqual(first.output.split(password).length, 2, 'the password is printed once')
    await first.end('SIGTERM')

    const ini = readFileSync(path.join(folder.path, 'potoroo.ini'), 'utf8')
    assert.match(ini, new RegExp(`^${name} *= *-pbkdf2:sha256-[0-9a-f]+,[0-9a-f]+,600000$`, 'm'))
    const telling = folder.files().filter(file => readFileSync(file).includes(password))
    assert.deepStrictEqual(telling, [])

    const second = await folder.start({ withAdmin: false })
    assert.doesNotMatch(second.output, /password/)
    const again = await new HttpClient(await second.started, { name, password }).ask('GET', '/_session')
    assert.deepStrictEqual(again.userCtx.roles, ['_admin'])
  })

  it('takes the administrator it is given, and lets nobody else make databases', async () => {
    const server = await folder.start()
    assert.doesNotMatch(server.output, /password/)
    const url = await server.started
    assert.strictEqual((await new HttpClient(url).request('PUT', '/todos')).status, 401)
    assert.deepStrictEqual(await new HttpClient(url, admin).ask('PUT', '/todos'), { ok: true })
  })

  it('says where the data is, on which storage, and what an acknowledged write survives', async () => {
    const server = await folder.start()
    assert.ok(server.output.includes(folder.path))
    assert.match(server.output, /storage: pmem/)
    assert.match(server.output, /survives: \S+/)
    const system = await new HttpClient(await server.started, admin).ask('GET', '/_node/_local/_system')
    assert.match(JSON.stringify(system), /pmem/)
    assert.match(JSON.stringify(system), /survives/)
  })
})
