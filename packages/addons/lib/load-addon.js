'use strict'

const { existsSync } = require('node:fs')
const path = require('node:path')
const { currentPlatform, platforms } = require('./platform')

const GUIDE = 'https://github.com/potoroo/potoroo/blob/main/docs/how-to/install.md'

/** @param {string} name @param {string} folder @returns {any} see index.d.ts */
function loadAddon (name, folder) {
  const file = findAddon(name, folder)
  try {
    return require(file)
  } catch (cause) {
    throw failure('ADDON_BROKEN', `The native addon ${file} does not load (${firstLine(cause)}): install it again, or see ${GUIDE}`, cause)
  }
}

/** @param {string} name @param {string} folder @returns {string} the addon's file */
function findAddon (name, folder) {
  // Only somebody who wants it builds in place, so that goes first.
  const built = path.join(folder, 'build/Release', `${name}.node`)
  if (existsSync(built)) return built
  const platform = currentPlatform()
  if (!platforms.some(each => each.name === platform)) throw foreign(name, platform)
  try {
    return require.resolve(`@potoroo/addons-${platform}/${name}.node`)
  } catch (cause) {
    throw failure('ADDON_MISSING', missing(name, platform), cause)
  }
}

/** @param {string} name @param {string} platform */
function foreign (name, platform) {
  return failure('ADDON_MISSING', `The native addon of ${name} is prebuilt for ${platforms.map(each => each.name).join(', ')}, ` +
    `and not for ${platform}: build it as ${GUIDE} says, or do without`)
}

/** @param {string} name @param {string} platform */
function missing (name, platform) {
  return `The native addon of ${name} is not there: install the optional package @potoroo/addons-${platform}, ` +
    'or in a clone of the repository run "npm run build"'
}

/** @param {any} error */
function firstLine (error) { return String(error.message).split('\n')[0] }

/** @param {string} code @param {string} message @param {unknown} [cause] */
function failure (code, message, cause) {
  return Object.assign(new Error(message, cause === undefined ? undefined : { cause }), { code })
}

module.exports = { loadAddon }
