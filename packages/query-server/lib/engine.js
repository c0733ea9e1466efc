'use strict'

const { newQuickJSWASMModuleFromVariant, RELEASE_SYNC } = require('quickjs-emscripten')

const encoder = new TextEncoder()

/**
 * Opens a QuickJS: an instance of the WebAssembly module, with a memory of its own that never shrinks.
 *
 * @returns {Promise<import('quickjs-emscripten').QuickJSWASMModule>}
 */
async function openEngine () {
  const variant = /** @type {any} */ (RELEASE_SYNC)
  return newQuickJSWASMModuleFromVariant({ ...variant, importModuleLoader: () => loaderOf(variant) })
}

async function loaderOf (variant) {
  const load = await variant.importModuleLoader()
  return async options => withFastText(await load(options))
}

/** Emscripten's own writes text into the module's memory unit by unit. */
function withFastText (module) {
  module.lengthBytesUTF8 = text => Buffer.byteLength(text)
  module.stringToUTF8 = (text, at, size) => {
    const { written } = encoder.encodeInto(text, module.HEAPU8.subarray(at, at + size - 1))
    module.HEAPU8[at + written] = 0
    return written
  }
  return module
}

module.exports = { openEngine }
