'use strict'

const { InvalidArgumentError, Option } = require('commander')

/** Storages in a data folder. */
const STORAGES = ['auto', 'pmem', 'classic-level']

/** @param {string} name */
function isPostgres (name) { return /^postgres(ql)?:\/\/./.test(name) }

/** Returns the URL of a PostgreSQL without its password, and without parameters, which may have one. @param {string} url */
function nameOf (url) { return url.replace(/[?#][^]*$/, '').replace(/^(\w+:\/\/[^:@/]*):[^]*@/, '$1@') }

/**
 * Adds `--storage`.
 *
 * @template {import('commander').Command} T
 * @param {T} command
 * @param {string} what the option says
 * @param {{ memory?: boolean, postgres?: string }} [options] memory: takes memory, too; postgres: why the URL of a PostgreSQL is none here
 * @returns {T}
 */
function withStorage (command, what, { memory = false, postgres } = {}) {
  const names = memory ? [...STORAGES, 'memory'] : STORAGES
  const url = ', or the URL of a PostgreSQL, postgres://…, which others on this machine can see: PGPASSWORD in the environment has its password'
  const option = new Option('--storage <name>', `${what}: ${names.join(', ')}${postgres === undefined ? url : ''}`).default('auto').argParser(name => {
    if (names.includes(name) || (isPostgres(name) && postgres === undefined)) return name
    if (isPostgres(name)) throw new InvalidArgumentError(/** @type {string} */ (postgres))
    throw new InvalidArgumentError(`There are ${names.join(', ')}${postgres === undefined ? ', and URLs that begin with postgres://' : ''}.`)
  })
  return command.addOption(option)
}

module.exports = { isPostgres, nameOf, withStorage }
