'use strict'

const os = require('node:os')

/** Describes the machine on which the figures were measured. */
function describeMachine () {
  const cpus = os.cpus()
  return {
    time: new Date().toISOString(),
    cpu: cpus[0]?.model ?? 'unknown',
    cores: cpus.length,
    load: os.loadavg()[0],
    node: process.version,
    platform: `${os.type()} ${os.release()}`
  }
}

module.exports = { describeMachine }
