'use strict'

const crypto = require('node:crypto')
const fs = require('node:fs')
const path = require('node:path')
const readline = require('node:readline/promises')
const { InvalidArgumentError, Option } = require('commander')
const { Config } = require('../config/config')
const { fault } = require('../config/checks')
const { makeFolder } = require('../storage/make-folder')
const { authSettings } = require('../auth/auth-settings')
const { KeyDerivation } = require('../users/key-derivation')
const { formatAdmin, hashPassword } = require('../users/password')
const { initialIni } = require('./initial-ini')
const { ownCommand, quoted } = require('./own-command')
const { readPassword } = require('./password')
const { runTask } = require('./task')

/** @typedef {import('commander').Command} Command */
/** @typedef {import('./initial-ini').Answers} Answers */

/** `potoroo init`: 0 written, 1 not. */
module.exports = (/** @type {Command} */ program) => {
  program.command('init')
    .description('make a data folder with a configuration, by a few questions')
    .option('--data <folder>', 'the data folder: no potoroo.ini may be there', 'potoroo-data')
    .option('--yes', 'ask nothing: take the options, and defaults for the rest')
    .option('--host <address>', 'address to listen on', setting('chttpd', 'bind_address'))
    .option('--port <number>', 'port to listen on', setting('chttpd', 'port'))
    .option('--admin <name>', 'name of the administrator; the password is asked for, or the first line of standard input')
    .addOption(new Option('--log <writer>', 'where the log goes').choices(['stderr', 'file', 'journald']))
    .option('--encrypt <file>', 'encrypt the databases with the key in this file, which is made if it is not there')
    .addHelpText('after', `
It writes potoroo.ini, with comments, for its owner to read, and nothing else. What is there already stays: then
it ends with a message. Without --admin the first start makes an administrator, and prints the password.

Examples:
  $ potoroo init
  $ potoroo init --yes --data /var/lib/potoroo --host any --admin anna < password.txt`)
    .action(options => {
      const folder = path.resolve(options.data)
      return runTask({ data: folder }, signal => init(folder, options, signal))
    })
}

/** @param {string} section @param {string} key @returns {(value: string) => string} */
function setting (section, key) {
  return value => {
    const wrong = value === '' ? 'is empty' : fault(section, key, value)
    if (wrong !== null) throw new InvalidArgumentError(`It ${wrong.replace(`[${section}] ${key} `, '')}.`)
    return value
  }
}

/** @param {string} folder @param {any} options @param {AbortSignal} signal */
async function init (folder, options, signal) {
  const file = path.join(folder, 'potoroo.ini')
  if (fs.existsSync(file)) throw new Error(`${file} is there already, and stays as it is`)
  const answers = options.yes ? { ...options } : await ask(options, signal)
  const password = answers.admin ? await readPassword(`Password of ${answers.admin}: `, signal) : ''
  const admin = answers.admin ? { name: nameOf(answers.admin), hash: await hashed(password) } : undefined
  makeFolder(folder)
  const key = answers.encrypt && keyFile(path.resolve(answers.encrypt))
  const descriptor = fs.openSync(file, 'wx', 0o600)
  fs.writeFileSync(descriptor, initialIni({ ...answers, admin, key }))
  fs.closeSync(descriptor)
  process.stdout.write([`${file} was written`, ...key ? [`the key is ${key}: keep a copy elsewhere, since without it nothing opens`] : [], `now: ${ownCommand()} serve --data ${quoted(folder)}`, ''].join('\n'))
}

/** @param {any} options @param {AbortSignal} signal */
async function ask (options, signal) {
  if (!process.stdin.isTTY) throw new Error('there is no terminal to ask on; --yes takes the options and defaults')
  const lines = readline.createInterface({ input: process.stdin, output: process.stderr })
  /** @param {string} question @param {string} standard @param {(value: string) => string} [check] */
  const question = async (question, standard, check = value => value) => {
    for (;;) {
      const answer = (await lines.question(`${question} [${standard}]: `, { signal })).trim() || standard
      try {
        return check(answer)
      } catch (error) {
        process.stderr.write(`  ${error.message}\n`)
      }
    }
  }
  try {
    return {
      ...options,
      host: options.host ?? await question('Address to listen on; 127.0.0.1 is for this machine alone, any for all', '127.0.0.1', setting('chttpd', 'bind_address')),
      port: options.port ?? await question('Port', '5984', setting('chttpd', 'port')),
      admin: options.admin ?? await question('Name of the administrator', 'admin'),
      log: options.log ?? await question('The log goes to stderr, file or journald', 'stderr', setting('log', 'writer'))
    }
  } finally {
    lines.close()
  }
}

/** @param {string} name */
function nameOf (name) {
  if (name === '' || /[:=;[\]\s]|\p{Cc}/u.test(name)) throw new Error('the name of an administrator has no colon, space, bracket or equals sign here; potoroo user add takes others')
  return name
}

/** @param {string} password as it is hashed by default */
async function hashed (password) {
  return formatAdmin(await hashPassword(password, authSettings(new Config(null)).now.hashing, new KeyDerivation()))
}

/** @param {string} file @returns {string} the file, with a new key where there was none */
function keyFile (file) {
  if (fs.existsSync(file)) return file
  fs.writeFileSync(file, crypto.randomBytes(32), { flag: 'wx', mode: 0o600 })
  return file
}
