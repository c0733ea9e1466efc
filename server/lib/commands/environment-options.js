'use strict'

const { withCredentials } = require('./credentials')
const { holdSettings, takeEnvironment } = require('../config/environment')

/** @typedef {import('commander').Command} Command */

/** Variables that stand for options of commands, where these are not given. */
const OPTIONS = {
  POTOROO_ALLOW_VOLATILE: 'allowVolatile',
  POTOROO_DATA: 'data',
  POTOROO_DURABILITY: 'durability',
  POTOROO_SERVER: 'server',
  POTOROO_SIZE: 'size',
  POTOROO_STORAGE: 'storage'
}

/** Variables without an option: they are secrets. */
const SECRETS = ['POTOROO_ADMIN', 'POTOROO_CREDENTIALS']

const TRUE = ['1', 'true', 'yes', 'on']

/**
 * Takes settings and options of the environment before a command runs.
 *
 * @param {Record<string, string | undefined>} [environment]
 * @returns {(program: Command, command: Command) => void}
 */
function environmentHook (environment = process.env) {
  return (_, command) => {
    const { sections, options } = takeEnvironment(environment, [...Object.keys(OPTIONS), ...SECRETS])
    holdSettings(sections)
    const isFolder = command.getOptionValueSource('data') === 'cli'
    for (const [name, attribute] of Object.entries(OPTIONS)) {
      // A folder that the command line names goes before a server of the environment.
      if (options[name] !== undefined && !(attribute === 'server' && isFolder)) fill(command, name, attribute, options[name])
    }
    const server = command.getOptionValue('server')
    if (server !== undefined) command.setOptionValue('server', withCredentials(server, options.POTOROO_CREDENTIALS))
    command.setOptionValue('environment', Object.fromEntries(SECRETS.map(name => [name, options[name]])))
  }
}

/** @param {Command} command @param {string} name @param {string} attribute @param {string} text */
function fill (command, name, attribute, text) {
  const option = command.options.find(each => each.attributeName() === attribute)
  if (option === undefined || ![undefined, 'default'].includes(command.getOptionValueSource(attribute))) return
  command.setOptionValueWithSource(attribute, option.isBoolean() ? TRUE.includes(text.toLowerCase()) : parse(option, name, text), 'env')
}

/** @param {import('commander').Option} option @param {string} name @param {string} text */
function parse (option, name, text) {
  try {
    return option.parseArg === undefined ? text : option.parseArg(text, undefined)
  } catch (error) {
    throw new Error(`${name} in the environment: ${error.message}`, { cause: error })
  }
}

module.exports = { environmentHook, OPTIONS }
