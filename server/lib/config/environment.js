'use strict'

const fs = require('node:fs')
const { nearestOf } = require('@potoroo/errors/known-options')
const { reasonOf } = require('../storage/system-error-text')
const { faultInFile } = require('./checks')
const { knownSettings, named } = require('./known')

/**
 * The variables of the environment that hold settings:
 *
 *   POTOROO_<SECTION>__<KEY>        the setting; a dot or a minus sign of its name is an underscore
 *   POTOROO_<SECTION>__<KEY>_FILE   a file that holds it, as containers have their secrets
 *
 * Sections and keys are in capitals, except keys that are names themselves, as those of `[vhosts]`.
 *
 * @typedef {Record<string, string | undefined>} Environment
 * @typedef {Record<string, Record<string, string>>} Sections
 */

const PREFIX = 'POTOROO_'
const FILE = '_FILE'
/** Kubernetes tells of a service with the name potoroo, or potoroo-…, by such variables. @param {string} name @param {string} value */
const isServiceLink = (name, value) => /_SERVICE_(HOST|PORT)(_|$)|_PORT_\d+_(TCP|UDP|SCTP)(_|$)/.test(name) || (name.endsWith('_PORT') && /^\w+:\/\//.test(value))

/** @param {string} text */
const capitals = text => text.toUpperCase().replace(/[^A-Z0-9]/g, '_')

/** Variables by name, with the setting that each holds. @type {Map<string, Exact>} */
const variables = new Map([...knownSettings()].flatMap(([section, keys]) => keys.map(key => [`${PREFIX}${capitals(section)}__${capitals(key)}`, { section, key }])))
const namedSections = new Map(named.filter(name => name !== 'admins').map(name => [`${PREFIX}${capitals(name)}__`, name]))

/**
 * Takes what the environment says out of it, so that no process that is started from here has its secrets.
 *
 * @param {Environment} environment
 * @param {string[]} options names of variables that hold options of commands
 * @returns {{ sections: Sections, options: Record<string, string> }}
 * @throws where a variable is unknown, its value makes no sense, or its file cannot be read; no value is in the error
 */
function takeEnvironment (environment, options) {
  /** @type {ReturnType<typeof takeEnvironment>} */
  const taken = { sections: {}, options: {} }
  for (const name of Object.keys(environment).filter(name => name.startsWith(PREFIX)).sort()) {
    const value = /** @type {string} */ (environment[name])
    const target = targetOf(name, options)
    if (target === null && isServiceLink(name, value)) continue
    if (target === null) throw new Error(unknown(name, options))
    delete environment[name]
    if (value !== '') put(taken, name, target, target.isFile ? read(name, value) : value)
  }
  return taken
}

/** @typedef {{ option?: string, section?: string, key?: string }} Exact @typedef {Exact & { isFile: boolean }} Target */

/** @param {string} name @param {string[]} options @returns {Target | null} null where it stands for nothing */
function targetOf (name, options) {
  const own = exactTarget(name, options)
  if (own !== null && !(own.section !== undefined && named.includes(own.section) && name.endsWith(FILE))) return { ...own, isFile: false }
  const base = name.endsWith(FILE) ? exactTarget(name.slice(0, -FILE.length), options) : null
  return base && { ...base, isFile: true }
}

/** @param {string} name @param {string[]} options @returns {Exact | null} */
function exactTarget (name, options) {
  if (options.includes(name)) return { option: name }
  const setting = variables.get(name)
  if (setting !== undefined) return setting
  for (const [start, section] of namedSections) if (name.startsWith(start) && name.length > start.length) return { section, key: name.slice(start.length) }
  return null
}

/** @param {ReturnType<typeof takeEnvironment>} taken @param {string} name @param {Target} target @param {string} text */
function put ({ sections, options }, name, { option, section = '', key = '' }, text) {
  const value = section === 'jwt_keys' ? text.replace(/\n/g, '\\n') : text
  if (/[^\P{Cc}\t]/u.test(value)) throw new Error(`${name} must be one line, without control characters`)
  if (option !== undefined) {
    if (Object.hasOwn(options, option)) throw new Error(`${option} and ${name} are set; take one of them`)
    options[option] = value
    return
  }
  const wrong = faultInFile(section, key, value)
  if (wrong !== null) throw new Error(`${name}: ${wrong}`)
  const values = sections[section] ??= {}
  if (Object.hasOwn(values, key)) throw new Error(`${name} says what ${name.slice(0, -FILE.length)} says, too; take one of them`)
  values[key] = value
}

/** @param {string} name @param {string} file */
function read (name, file) {
  try {
    return fs.readFileSync(file, 'utf8').replace(/\r\n/g, '\n').replace(/\n+$/, '')
  } catch (cause) {
    throw new Error(`${name} cannot be read: ${reasonOf(cause)}`, { cause })
  }
}

/** @param {string} name @param {string[]} options */
function unknown (name, options) {
  if (name.startsWith('POTOROO_ADMINS__')) return `${name}: an administrator is POTOROO_ADMIN=name:password, or POTOROO_ADMIN_FILE`
  const plain = name.endsWith(FILE) ? name.slice(0, -FILE.length) : name
  const known = [...options, ...variables.keys()]
  const nearest = nearestOf(name, known) ?? nearestOf(plain, known)
  const hint = nearest === undefined ? '. Settings are POTOROO_<SECTION>__<KEY>, such as POTOROO_CHTTPD__PORT' : `; do you mean ${nearest}?`
  return `${name} in the environment is no setting${hint}`
}

/** Settings that a command was started with: they hold wherever it reads those of a folder. @type {Sections} */
let held = {}

/** @param {Sections} sections */
function holdSettings (sections) { held = sections }

/** @returns {Sections} nothing in an application's own process */
function heldSettings () { return held }

module.exports = { heldSettings, holdSettings, takeEnvironment, variables }
