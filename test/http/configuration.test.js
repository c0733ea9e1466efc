'use strict'

const assert = require('node:assert/strict')
const { isAbsolute } = require('node:path')
const { assertRefused } = require('./support/refusal')
const { RawConnection } = require('./support/raw')
const { get, post, put, remove } = require('./support/request')
const { setting } = require('./support/setting')

const CONFIG = '/_node/_local/_config'
const PASSING = { headers: { 'X-Couch-Persist': 'false' } }

/** CouchDB takes values that are refused here, and some of them end parts of it. */
const ours = process.env.TEST_URL === undefined

describe('configuration over HTTP', () => {
  const path = `${CONFIG}/test_settings/key`

  afterEach(() => remove(path))

  it('answers with the value that there was', async () => {
    assert.equal((await put(path, '"one"')).body, '')
    assert.equal((await put(path, '" two "')).body, 'one')
    assert.equal((await get(path)).body, 'two')
    assert.deepEqual((await get(`${CONFIG}/test_settings`)).body, { key: 'two' })
    assert.equal((await get(CONFIG)).body.test_settings.key, 'two')
    assert.equal((await remove(path)).body, 'two')
    assertRefused(await get(path), 404, 'not_found', 'unknown_config_value')
    assertRefused(await remove(path), 404, 'not_found', 'unknown_config_value')
    assert.deepEqual((await get(`${CONFIG}/test_settings`)).body, {})
  })

  it('takes back on demand what was set without being kept', async () => {
    await put(path, '"kept"')
    await put(path, '"passing"', PASSING)
    assert.equal((await get(path)).body, 'passing')
    assert.deepEqual((await post(`${CONFIG}/_reload`)).body, { ok: true })
    assert.equal((await get(path)).body, 'kept')
    await put(path, '"passing"', PASSING)
    assert.equal((await remove(path, PASSING)).body, 'passing')
    assert.equal((await get(path)).status, 404)
    await post(`${CONFIG}/_reload`)
    assert.equal((await get(path)).body, 'kept')
  })

  it('keeps an administrator who is not to be kept out of the file, and takes back one who was deleted so', async () => {
    const anna = `${CONFIG}/admins/anna`
    await put(anna, '"secret"', PASSING)
    assert.match((await get(anna)).body, /^-pbkdf2/)
    await post(`${CONFIG}/_reload`)
    assert.equal((await get(anna)).status, 404)
    await put(anna, '"secret"')
    await remove(anna, PASSING)
    assert.equal((await get(anna)).status, 404)
    await post(`${CONFIG}/_reload`)
    assert.match((await get(anna)).body, /^-pbkdf2/)
    await remove(anna)
  })

  it('takes lines of visible characters', async () => {
    assertRefused(await put(path, '3'), 400, 'bad_request', 'a JSON string expected')
    assertRefused(await put(path, '"a\\nb"'), 400, 'bad_request', 'Invalid configuration value')
    assertRefused(await put(path, '"a\\u0000b"'), 400, 'bad_request', 'Invalid configuration value')
    assertRefused(await put(`${CONFIG}/test_settings/a%5Bb`, '"x"'), 400, 'bad_request', 'Invalid configuration key')
    assertRefused(await put(`${CONFIG}/a%5Bb/key`, '"x"'), 400, 'bad_request', 'Invalid configuration section')
    assert.equal((await put(path, '"a = b, [c], #d"')).status, 200)
    assert.equal((await get(path)).body, 'a = b, [c], #d')
  })

  const inHeaders = { chttpd: 'WWW-Authenticate', chttpd_auth: 'cookie_domain', csp: 'utils_header_value', cors: 'methods', ssl: 'strict_transport_security' }
  for (const [section, key] of Object.entries(inHeaders)) {
    if (ours) {
      it(`takes nothing as [${section}] ${key} that no header can hold`, async () => {
        assertRefused(await put(`${CONFIG}/${section}/${key}`, '"☃"'), 400, 'bad_request', `Invalid configuration value: [${section}] ${key} must be of ASCII's letters and signs`)
      })
    }
  }

  it('locks what would run programs', async () => {
    for (const section of ['query_servers', 'daemons', 'os_daemons', 'feature_flags']) {
      assertRefused(await put(`${CONFIG}/${section}/x`, '"sh"'), 403, 'forbidden', 'Config section blacklisted for modification over HTTP API.')
      assertRefused(await remove(`${CONFIG}/${section}/x`), 403, 'forbidden')
    }
  })

  it('hashes the passwords of administrators', async () => {
    const admin = `${CONFIG}/admins/test_admin`
    await put(admin, '"secret"')
    assert.match((await get(admin)).body, /^-pbkdf2:sha256-[0-9a-f]{64},[0-9a-f]+,\d+$/)
    await remove(admin)
  })

  it('knows no other nodes', async () => {
    assertRefused(await get('/_node/other@host/_config'), 404, 'not_found', 'no such node: other@host')
    assertRefused(await get('/_node'), 400, 'bad_request', 'Incomplete path to _node request')
    const { name } = (await get('/_node/_local')).body
    assert.equal((await get(`/_node/${name}/_config/test_settings`)).status, 200)
  })

  it('is for administrators', async () => {
    for (const ask of [get, remove]) assertRefused(await ask(path, { headers: { Authorization: '' } }), 401, 'unauthorized', 'You are not a server admin.')
    assertRefused(await put(path, '"x"', { headers: { Authorization: '' } }), 401, 'unauthorized')
    assertRefused(await get('/_node/_local/_nothing', { headers: { Authorization: '' } }), 401, 'unauthorized')
  })

  it('tells which methods there are, after who may', async () => {
    const answer = await post(path, '{}')
    assertRefused(answer, 405, 'method_not_allowed', 'Only GET,PUT,DELETE allowed')
    assert.equal(answer.headers.get('allow'), 'GET,PUT,DELETE')
    assertRefused(await post(path, '{}', { headers: { Authorization: '' } }), 401, 'unauthorized')
  })

  if (!ours) return

  it('refuses values that make no sense', async () => {
    for (const [setting, value] of [
      ['uuids/algorithm', 'best'], ['uuids/max_count', 'x'], ['chttpd/port', '70000'], ['chttpd/socket_mode', '0'], ['chttpd/socket_mode', '888'], ['chttpd/require_valid_user', 'maybe'],
      ['couchdb/default_security', 'none'], ['couchdb/max_document_size', '-1'], ['query_server_config/os_process_timeout', 'infinity']
    ]) {
      const name = setting.split('/')[1]
      assertRefused(await put(`${CONFIG}/${setting}`, JSON.stringify(value)), 400, 'bad_request', new RegExp(`^Invalid configuration value: \\[\\w+\\] ${name} must be `))
    }
    assertRefused(await put(`${CONFIG}/couchdb/database_dir`, '"/tmp"'), 400, 'bad_request', 'Invalid configuration value: [couchdb] database_dir is the data folder, which --data names at start')
    assert.equal((await put(`${CONFIG}/couchdb/max_document_size`, '"infinity"')).body, '8000000')
    assert.equal((await remove(`${CONFIG}/couchdb/max_document_size`)).body, 'infinity')
  })

  it('shows the data folder as that of databases and indexes', async () => {
    const { database_dir: folder, view_index_dir: indexes } = (await get(`${CONFIG}/couchdb`)).body
    assert.ok(isAbsolute(folder))
    assert.equal(indexes, folder)
    assert.equal((await get(`${CONFIG}/couchdb/database_dir`)).body, folder)
    assert.equal((await get(CONFIG)).body.couchdb.database_dir, folder)
    assertRefused(await remove(`${CONFIG}/couchdb/database_dir`), 404, 'not_found', 'unknown_config_value')
  })

  it('lets only what the list names be changed', async () => {
    const list = `${CONFIG}/chttpd/config_whitelist`
    await put(list, '"[{chttpd, config_whitelist}, {\\"test_settings\\", <<\\"*\\">>}]"')
    try {
      assert.equal((await put(path, '"x"')).status, 200)
      assertRefused(await put(`${CONFIG}/other/key`, '"x"'), 400, 'modification_not_allowed', 'This config variable is read-only')
      await put(list, '"[{chttpd, config_whitelist}, word, {one}, {test_settings, other, three}, [a, list], {test_settings, key}]"')
      assertRefused(await put(`${CONFIG}/test_settings/other`, '"x"'), 400, 'modification_not_allowed')
      await put(list, '"no list"')
      assertRefused(await put(path, '"x"'), 400, 'modification_not_allowed')
    } finally {
      await remove(list)
    }
    assert.equal((await put(path, '"y"')).status, 200)
  })

  describe('of an older section', () => {
    setting('httpd', 'WWW-Authenticate', 'Basic realm="older"')

    it('is in force', async () => {
      const { status, headers } = await get('/_all_dbs', { headers: { Authorization: '' } })
      assert.deepEqual([status, headers.get('www-authenticate')], [401, 'Basic realm="older"'])
    })
  })

  describe('of hosts', () => {
    setting('chttpd', 'valid_hosts', `${new URL(process.env.TEST_URL ?? 'http://127.0.0.1').hostname},db.example`)
    describe('that are validated', () => {
      setting('chttpd', 'validate_host', 'true')

      it('refuses what asks others', async () => {
        const ask = async Host => {
          const connection = await RawConnection.open()
          await connection.request('GET', '/', { Host, Connection: 'close' })
          return (await connection.closed()).replace(/^HTTP\/1\.1 (\d+) [^]*\r\n\r\n/, '$1 ')
        }
        for (const host of ['db.example', 'db.example:5984']) assert.match(await ask(host), /^200 /)
        for (const host of ['evil.example', 'db.example.evil.example', 'evil.example:5984', '']) assert.equal(await ask(host), '400 {"error":"bad_request","reason":"Invalid host header"}\n')
      })
    })
  })
})
