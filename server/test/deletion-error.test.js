'use strict'

const assert = require('node:assert/strict')
const { ServerResponse } = require('node:http')
const { Readable, PassThrough } = require('node:stream')
const { unlessDeleted } = require('../lib/dispatch/deletion-error')
const { createDispatcher } = require('../lib/dispatch/dispatcher')
const { Service } = require('../lib/service/service')
const { OwnerOnlyError } = require('../lib/workers/owner-only-error')

describe('a fault in a thread whose database only the owner has', () => {
  let service
  beforeEach(async () => {
    service = await Service.open({ storage: 'memory', onFirstAdmin () {}, log () {} })
    service.databases.has = name => { throw new OwnerOnlyError(`database ${name}`) }
  })
  afterEach(() => service.close())

  it('is a deletion where the thread had opened it', async () => {
    const { code } = await unlessDeleted({ params: { db: 'db' }, service, database: { closed: false } }, new Error('gone'))
    assert.equal(code, 'NO_DATABASE')
  })

  it('is none where the request was to make the database', async () => {
    service.databases.has = () => false
    const fault = new Error('EIO')
    assert.equal(await unlessDeleted({ params: { db: 'db' }, service, makesDatabase: true }, fault), fault)
    service.databases.make = async () => { throw fault }
    service.authenticator.authenticate = () => ({ name: 'anna', roles: ['_admin'] })
    const req = Object.assign(Readable.from([]), { method: 'PUT', url: '/db', headers: { host: 'localhost' }, rawHeaders: [], socket: {}, httpVersionMajor: 1 })
    const res = new ServerResponse(req)
    await createDispatcher(service, () => service)(req, res)
    assert.equal(res.statusCode, 500)
  })

  it('is passed on to the owner where it had not', async () => {
    const fault = new Error('gone')
    service.databases.get = async () => { throw fault }
    const told = []
    const dispatch = createDispatcher(service, () => service, error => told.push(error) === 2)
    const req = Object.assign(Readable.from([]), { method: 'GET', url: '/db', headers: { host: 'localhost' }, rawHeaders: [], socket: {}, httpVersionMajor: 1 })
    const res = Object.assign(new PassThrough(), { setHeader () {}, getHeader () {}, req })
    assert.equal(await dispatch(req, res), false)
    assert.equal(told[0], fault)
    assert.ok(told[1] instanceof OwnerOnlyError)
    assert.equal(res.destroyed, false)
  })
})
