'use strict'

const assert = require('node:assert')
const { admin } = require('./data-folder')
const { HttpClient } = require('./http-client')
const { walkFauxton } = require('./fauxton-walk')

describe('the server in Fauxton', function () {
  this.timeout(600_000)
  const { page, fauxton, client } = walkFauxton()

  page('lets in only whom the server knows', async () => {
    await fauxton().visit('logout')
    fauxton().expect(401, /^POST .*\/_session/)
    await fauxton().fill('#username', admin.name)
    await fauxton().fill('#password', 'wrong')
    await fauxton().click('#submit')
    await fauxton().sees('Name or password is incorrect.')
    await fauxton().logIn(admin.name, admin.password)
  })

  page('replicates by a job, and shows it', async () => {
    await fauxton().visit('replication/_create/animals')
    for (const [side, type] of [['source', 'Local database'], ['target', 'New local database']]) {
      await fauxton().page.selectOption(`select[id="replication-${side}"]`, { label: type })
      await fauxton().page.selectOption(`select[id="select-replication-${side}-auth"]`, { label: 'Username and password' })
      await fauxton().fill(`#replication-${side}-auth-username`, admin.name)
      await fauxton().fill(`#replication-${side}-auth-password`, admin.password)
    }
    await fauxton().fill('.replication__new-input', 'copies')
    await fauxton().fill('input[placeholder*="Custom ID"]', 'copy-animals')
    await fauxton().picture('replication-job')
    // It makes sure that there is none of that name.
    fauxton().expect(404, /^GET .*\/_replicator\/copy-animals$/)
    await fauxton().click('#replicate')
    await fauxton().sees('Replication')
    await replicated('copy-animals')
    await fauxton().visit('replication')
    await fauxton().sees('Completed')
    assert.strictEqual((await client().ask('GET', '/copies')).doc_count, (await client().ask('GET', '/animals')).doc_count)
    await fauxton().visit('replication/id/copy-animals')
    await fauxton().sees('Job Configuration')
  })

  page('shows active tasks', async () => {
    await fauxton().visit('activetasks')
    await fauxton().sees('No active tasks.')
  })

  page('adds, changes and deletes a configured value', async () => {
    await fauxton().visit('_config')
    await fauxton().click('button:has-text("Add Option"), #add-option-panel button')
    await fauxton().fill('input[name="section"]', 'zoo')
    await fauxton().fill('input[name="name"]', 'keepers')
    await fauxton().fill('input[name="value"]', '3')
    await fauxton().picture('config-option')
    await fauxton().click('.popover button, #add-option-popover button, .btn-create, button:has-text("Create")')
    const row = fauxton().page.locator('tr', { hasText: 'keepers' })
    await row.waitFor()
    assert.deepStrictEqual(await client().ask('GET', '/_node/_local/_config/zoo'), { keepers: '3' })
    await row.getByText('3', { exact: true }).click()
    await row.locator('input').fill('4')
    await row.locator('.fonticon-ok-circled').click()
    await fauxton().settled()
    assert.deepStrictEqual(await client().ask('GET', '/_node/_local/_config/zoo'), { keepers: '4' })
    await row.locator('td').last().locator('*').last().click()
    await fauxton().click('.modal-footer .btn-primary')
    await row.waitFor({ state: 'detached' })
    await fauxton().settled()
    assert.deepStrictEqual(await client().ask('GET', '/_node/_local/_config/zoo'), {})
  })

  page('switches cross-origin requests off and on', async () => {
    await fauxton().visit('_config/_local/cors')
    await fauxton().sees('CORS is currently enabled')
    const allowed = async () => (await fetch(`${fauxton().url}/`, { headers: { Origin: 'http://localhost' } })).headers.get('access-control-allow-origin')
    assert.strictEqual(await allowed(), 'http://localhost')
    await fauxton().click('button:has-text("Disable CORS")')
    await fauxton().sees('CORS is currently disabled')
    assert.strictEqual(await allowed(), null)
    await fauxton().click('button:has-text("Enable CORS")')
    await fauxton().sees('CORS is currently enabled')
  })

  page('sets up a single node', async () => {
    await fauxton().visit('setup')
    await fauxton().sees('configured for production usage as a single node')
    await fauxton().visit('setup/singlenode')
    await fauxton().picture('setup-form')
    await fauxton().fill('input[placeholder="Username"], input[name="username"]', 'sigrid')
    await fauxton().fill('input[placeholder="Password"], input[type="password"]', 'sigrids pass')
    await fauxton().fill('input[value="0.0.0.0"]', '127.0.0.1')
    await fauxton().click('button:has-text("Configure Node"), a:has-text("Configure Node")')
    await fauxton().sees('Apache CouchDB is configured for production usage')
    assert.deepStrictEqual(await rolesOf('sigrid', 'sigrids pass'), ['_admin'])
  })

  page('verifies the installation', async () => {
    // It makes sure that nothing is there.
    for (const name of ['verifytestdb', 'verifytestdb_replicate']) fauxton().expect(404, new RegExp(`^GET .*/${name}$`))
    await fauxton().visit('verifyinstall')
    await fauxton().click('button:has-text("Verify Installation")')
    await fauxton().sees('Success! Your CouchDB installation is working. Time to Relax.')
  })

  page('shows where documentation and news are, without asking for them', async () => {
    await fauxton().visit('documentation')
    await fauxton().sees('Fauxton Visual Guide')
    await fauxton().visit('news')
    await fauxton().sees('Load News')
  })

  page('creates an administrator', async () => {
    await fauxton().visit('addAdmin')
    await fauxton().fill('#create-admin-form input[type="text"]', 'berta')
    await fauxton().fill('#create-admin-form input[type="password"]', 'bertas pass')
    await fauxton().click('#create-admin')
    await fauxton().settled()
    assert.deepStrictEqual(await rolesOf('berta', 'bertas pass'), ['_admin'])
  })

  page('changes the own password, and logs out', async () => {
    // Whoever makes an administrator has become that one.
    await fauxton().visit('logout')
    await fauxton().logIn(admin.name, admin.password)
    await fauxton().visit('changePassword')
    await fauxton().fill('#password', 'another pass phrase')
    await fauxton().fill('#password-confirm', 'another pass phrase')
    await fauxton().click('button.btn:has-text("Change")')
    await fauxton().sees('Your password has been updated.')
    assert.deepStrictEqual(await rolesOf(admin.name, 'another pass phrase'), ['_admin'])
    await fauxton().visit('logout')
    await fauxton().logIn(admin.name, 'another pass phrase')
  })

  /** Waits until a replication is there and has come to its end. */
  async function replicated (id) {
    const state = async () => (await client().request('GET', `/_scheduler/docs/_replicator/${id}`)).body.state
    while (await state() !== 'completed') await new Promise(resolve => setImmediate(resolve))
  }

  /** The roles of whom the server knows by this password. */
  async function rolesOf (name, password) {
    return (await new HttpClient(fauxton().url, { name, password }).ask('GET', '/_session')).userCtx.roles
  }
})
