'use strict'

/**
 * Says in words where databases live and what an acknowledged write survives.
 *
 * @param {Record<string, any>} description of an opened storage
 * @returns {string[]} lines
 */
function describeStorage ({ storage, survives, ...details }) {
  const lines = [`storage: ${storage}${details.reason ? ` (${details.reason})` : ''}`]
  if (survives !== undefined) lines.push(`an acknowledged write survives: ${survives}`)
  return lines
}

module.exports = { describeStorage }
