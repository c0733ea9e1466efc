'use strict'

const { escapeControls } = require('../log/safe-text')
const { readPassword } = require('./password')
const { withServer } = require('./server-option')
const { runConnected } = require('./task')

/** @typedef {import('commander').Command} Command */
/** @typedef {import('./connection').Connection} Connection */

const PREFIX = 'org.couchdb.user:'

/** `potoroo user add|list|password|remove`: 0 done, 1 not done. */
module.exports = (/** @type {Command} */ program) => {
  const user = program.command('user').description('who may log in: add, list, remove, change passwords')
    .addHelpText('after', `
Each works on a data folder that no server has open, or with --server on one that runs. A password is
asked for on a terminal, where it is not seen, or is the first line of standard input; it is never an
argument, which others could see.

Examples:
  $ potoroo user add anna --data ./potoroo-data
  $ potoroo user add bert --role editors --role readers --server http://localhost:5984
  $ potoroo user add chief --admin < password.txt
  $ potoroo user list`)
  place(user.command('add <name>').description('a new user, or with --admin an administrator of the server'))
    .option('--role <name>', 'a role that the user has; may be given again', (/** @type {string} */ role, /** @type {string[]} */ roles) => [...roles, role], /** @type {string[]} */ ([]))
    .option('--admin', 'an administrator of the server, kept in potoroo.ini')
    .action((name, options) => runConnected(options, (/** @type {Connection} */ connection, /** @type {AbortSignal} */ signal) => add(connection, name, options, signal)))
  place(user.command('list').description('administrators and users with their roles, one a line'))
    .action(options => runConnected(options, list))
  place(user.command('password <name>').description('change the password of a user or an administrator'))
    .action((name, options) => runConnected(options, (/** @type {Connection} */ connection, /** @type {AbortSignal} */ signal) => changePassword(connection, name, signal)))
  place(user.command('remove <name>').description('a user, or an administrator but the last'))
    .action((name, options) => runConnected(options, (/** @type {Connection} */ connection) => remove(connection, name)))
}

/** @param {Command} command */
function place (command) {
  return withServer(command.option('--data <folder>', 'the data folder of a server that is not running', 'potoroo-data'))
}

/** @param {string} name */
const documentOf = name => `/_users/${encodeURIComponent(PREFIX + name)}`
/** @param {string} name */
const adminOf = name => `/_node/_local/_config/admins/${encodeURIComponent(name)}`

/** @param {Connection} connection @param {string} name @param {{ role: string[], admin?: boolean }} options @param {AbortSignal} signal */
async function add (connection, name, { role, admin }, signal) {
  // Basic authentication ends a name there; the server itself refuses such users, but not such administrators.
  if (name === '' || name.includes(':')) throw new Error('a name has at least one character, and no colon')
  if (await isAdmin(connection, name) || await find(connection, name) !== null) throw new Error(`there is a user ${name} already; potoroo user password ${name} changes the password`)
  if (admin && role.length > 0) throw new Error('an administrator may do everything, and has no roles')
  const password = await readPassword(`Password of ${name}: `, signal)
  if (admin) await connection.demand('PUT', adminOf(name), password)
  else await connection.demand('PUT', documentOf(name), { name, password, roles: role, type: 'user' })
  process.stdout.write(`${name} was added\n`)
}

/** @param {Connection} connection */
async function list (connection) {
  for (const name of await admins(connection)) process.stdout.write(`${name}\tadministrator\n`)
  const { rows } = await connection.demand('GET', `/_users/_all_docs?include_docs=true&startkey=${encodeURIComponent(JSON.stringify(PREFIX))}&endkey=${encodeURIComponent(JSON.stringify(`${PREFIX}\ufff0`))}`)
  for (const { doc } of rows) process.stdout.write(`${escapeControls(doc.name)}\t${escapeControls(doc.roles.join(', '))}\n`)
}

/** @param {Connection} connection @param {string} name @param {AbortSignal} signal */
async function changePassword (connection, name, signal) {
  const admin = await isAdmin(connection, name)
  const user = admin ? null : await demandUser(connection, name)
  const password = await readPassword(`New password of ${name}: `, signal)
  if (admin) await connection.demand('PUT', adminOf(name), password)
  else await connection.demand('PUT', documentOf(name), { ...user, password })
  process.stdout.write(`The password of ${name} was changed\n`)
}

/** @param {Connection} connection @param {string} name */
async function remove (connection, name) {
  if (await isAdmin(connection, name)) {
    if ((await admins(connection)).length === 1) throw new Error(`${name} is the last administrator; add another first`)
    await connection.demand('DELETE', adminOf(name))
  } else {
    const { _rev: rev } = await demandUser(connection, name)
    await connection.demand('DELETE', `${documentOf(name)}?rev=${encodeURIComponent(rev)}`)
  }
  process.stdout.write(`${name} was removed\n`)
}

/** @param {Connection} connection */
async function admins (connection) { return Object.keys(await connection.demand('GET', '/_node/_local/_config/admins')) }

/** @param {Connection} connection @param {string} name */
async function isAdmin (connection, name) { return (await admins(connection)).includes(name) }

/** @param {Connection} connection @param {string} name */
async function demandUser (connection, name) {
  const user = await find(connection, name)
  if (user === null) throw new Error(`there is no user ${name}`)
  return user
}

/** @param {Connection} connection @param {string} name */
async function find (connection, name) {
  const { status, body } = await connection.ask('GET', documentOf(name))
  if (status === 404) return null
  if (status >= 400) throw new Error(`the server refused: ${body.reason}`)
  return body
}
