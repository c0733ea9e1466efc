'use strict'

const dataFolder = require('./data-folder')
const limits = require('./limits')
const machine = require('./machine')
const settings = require('./settings')

/**
 * @typedef {object} Finding
 * @property {string} name
 * @property {'ok' | 'warning' | 'problem'} state a problem keeps a server from starting, or puts data at risk
 * @property {string} found
 * @property {string} [mend] what to do about it
 */

/** @typedef {{ folder: string }} Patient */

/** @type {Array<(patient: Patient) => Finding | Finding[] | Promise<Finding | Finding[]>>} */
const examinations = [machine.versions, machine.addons, dataFolder.storage, dataFolder.layout, dataFolder.medium, dataFolder.space, dataFolder.permissions, limits.descriptors, limits.memory, machine.clock, settings.file, settings.administrator, settings.server]

/**
 * Looks at all that a server on a data folder depends on, and changes nothing.
 *
 * @param {string} folder
 * @returns {Promise<Finding[]>}
 */
async function examine (folder) {
  const findings = []
  for (const look of examinations) findings.push(...[await look({ folder })].flat())
  return findings
}

module.exports = { examine }
