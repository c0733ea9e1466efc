'use strict'

const { Option } = require('commander')

/**
 * Lets a command take a server in place of a data folder, by `--server`, as all commands do.
 *
 * @param {import('commander').Command} command
 * @param {{ meanwhile?: boolean, alias?: string }} [options] `meanwhile`: what it does takes long; `alias`: the
 *   option's former name in this command, which goes on working and is not in its help
 */
function withServer (command, { meanwhile = false, alias } = {}) {
  const what = `a server that runs, in place of a folder${meanwhile ? ', which goes on meanwhile' : ''}: http://host:5984, whose name and password are in ~/.netrc, or in POTOROO_CREDENTIALS`
  command.addOption(new Option('--server <url>', what).conflicts('data'))
  if (alias !== undefined) {
    command.addOption(new Option(`--${alias} <url>`, 'the same').conflicts('data').hideHelp())
    command.on(`option:${alias}`, url => command.setOptionValue('server', url))
  }
  return command
}

module.exports = { withServer }
