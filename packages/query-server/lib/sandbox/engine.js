'use strict'

const { newQuickJSWASMModuleFromVariant, RELEASE_SYNC } = require('quickjs-emscripten')

const encoder = new TextEncoder()
const decoder = new TextDecoder()

/**
 * A QuickJS: an instance of the WebAssembly module, with a memory of its own that never shrinks. Text goes
 * in and out as bytes: Emscripten's own way writes it unit by unit, and each copy of a batch costs.
 */
class Engine {
  /** `open` sets it before anyone has the engine. */
  #quickjs = /** @type {import('quickjs-emscripten').QuickJSWASMModule} */ (/** @type {unknown} */ (undefined))

  /** The text that is read next goes here. @type {Uint8Array | null} */
  #target = null

  /** @returns {Promise<Engine>} */
  static async open () {
    const engine = new Engine()
    const variant = /** @type {any} */ (RELEASE_SYNC)
    const importModuleLoader = async () => {
      const load = await variant.importModuleLoader()
      return async (/** @type {unknown} */ options) => engine.#adapt(await load(options))
    }
    engine.#quickjs = await newQuickJSWASMModuleFromVariant({ ...variant, importModuleLoader })
    return engine
  }

  /** Bytes of its memory. */
  get size () { return this.#quickjs.getWasmMemory().buffer.byteLength }

  newRuntime () { return this.#quickjs.newRuntime() }

  /** @param {any} module Emscripten's, whose functions for texts are replaced */
  #adapt (module) {
    module.lengthBytesUTF8 = (/** @type {string | Uint8Array} */ text) => typeof text === 'string' ? Buffer.byteLength(text) : text.length
    module.stringToUTF8 = (/** @type {string | Uint8Array} */ text, /** @type {number} */ at, /** @type {number} */ size) => {
      const written = write(module.HEAPU8, text, at, size - 1)
      module.HEAPU8[at + written] = 0
      return written
    }
    module.UTF8ToString = (/** @type {number} */ at, most = Infinity) => {
      if (at === 0) return ''
      const heap = module.HEAPU8
      return this.#read(heap.subarray(at, Math.min(heap.indexOf(0, at), at + most)))
    }
    return module
  }

  /** @param {Uint8Array} bytes @returns {string | number} */
  #read (bytes) {
    if (this.#target === null || bytes.length > this.#target.length) return decoder.decode(bytes)
    this.#target.set(bytes)
    return bytes.length
  }

  /**
   * @param {import('quickjs-emscripten').QuickJSContext} context
   * @param {string | Uint8Array} text or its UTF-8
   */
  newString (context, text) { return context.newString(/** @type {string} */ (text)) }

  /**
   * @param {import('quickjs-emscripten').QuickJSContext} context
   * @param {import('quickjs-emscripten').QuickJSHandle} handle
   * @param {Uint8Array} target
   * @returns {string | number} how many bytes of UTF-8 are in `target`, or the text where they do not fit
   */
  read (context, handle, target) {
    this.#target = target
    try {
      return context.getString(handle)
    } finally {
      this.#target = null
    }
  }
}

/**
 * @param {Uint8Array} heap
 * @param {string | Uint8Array} text
 * @param {number} at
 * @param {number} size
 * @returns {number} how many bytes
 */
function write (heap, text, at, size) {
  if (typeof text === 'string') return encoder.encodeInto(text, heap.subarray(at, at + size)).written
  heap.set(text, at)
  return text.length
}

module.exports = { Engine }
