'use strict'

const { faultInFile, isDefaultInstead } = require('./checks')
const { strangeSetting } = require('./known')

/**
 * Says which settings have no effect: misspelt ones, and values that make no sense.
 *
 * @param {Record<string, Record<string, unknown> | undefined>} sections as the ini file has them, or an application hands them over
 * @returns {string[]} a sentence for each, once
 */
function settingFaults (sections) {
  const entries = Object.entries(sections).flatMap(([section, values]) => Object.entries(values ?? {}).map(([key, value]) => faultOf(section, key, String(value))))
  return [...new Set(entries)].filter(each => each !== null)
}

/** @param {string} section @param {string} key @param {string} value @returns {string | null} */
function faultOf (section, key, value) {
  const wrong = faultInFile(section, key, value)
  if (wrong === null) return strangeSetting(section, key)
  return isDefaultInstead(section, key) ? `${wrong}: the default holds` : wrong
}

module.exports = { settingFaults }
