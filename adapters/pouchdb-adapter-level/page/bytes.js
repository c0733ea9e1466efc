'use strict'

const encoder = new TextEncoder()
const decoder = new TextDecoder('utf-8', { ignoreBOM: true })

/** Characters that a function takes as arguments in one go. */
const SLICE = 8192

/**
 * Bytes with those methods of Node.js's Buffer that the document store calls: the same code runs in Node.js and in pages.
 */
class Bytes extends Uint8Array {
  /** @param {string | ArrayBuffer | ArrayLike<number>} value @param {any} [encoding] or where it begins @param {number} [length] */
  static from (value, encoding, length) {
    if (typeof value === 'string') return fromText(value, encoding)
    if (value instanceof ArrayBuffer) return new Bytes(value, encoding, length)
    const bytes = new Bytes(value.length)
    bytes.set(value)
    return bytes
  }

  /** @param {number} size */
  static alloc (size) { return new Bytes(size) }

  /** @param {number} size */
  static allocUnsafe (size) { return new Bytes(size) }

  /** @param {number} size */
  static allocUnsafeSlow (size) { return new Bytes(size) }

  /** @param {unknown} value */
  static isBuffer (value) { return value instanceof Bytes }

  /** @param {string} text */
  static byteLength (text) {
    let length = text.length
    for (let i = 0; i < text.length; i++) {
      const unit = text.charCodeAt(i)
      if (unit > 0x7f) length += unit > 0x7ff && !isPair(text, i) ? 2 : 1
    }
    return length
  }

  /** @param {Uint8Array[]} parts @param {number} [length] */
  static concat (parts, length = parts.reduce((sum, part) => sum + part.length, 0)) {
    const whole = new Bytes(length)
    let at = 0
    for (const part of parts) {
      whole.set(part, at)
      at += part.length
    }
    return whole
  }

  /** @param {Uint8Array} a @param {Uint8Array} b */
  static compare (a, b) {
    const length = Math.min(a.length, b.length)
    for (let i = 0; i < length; i++) if (a[i] !== b[i]) return a[i] < b[i] ? -1 : 1
    return Math.sign(a.length - b.length)
  }

  /** @param {string} [encoding] @param {number} [start] @param {number} [end] */
  toString (encoding = 'utf8', start = 0, end = this.length) {
    const part = this.subarray(start, end)
    switch (encoding) {
      case 'hex': return Array.from(part, byte => byte.toString(16).padStart(2, '0')).join('')
      case 'latin1': return latin1(part)
      case 'base64': return btoa(latin1(part))
      case 'base64url': return btoa(latin1(part)).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '')
      default: return decoder.decode(part)
    }
  }

  /** @param {string} text @param {number} [at] @param {string} [encoding] */
  write (text, at = 0, encoding = 'utf8') {
    if (encoding === 'utf8') return encoder.encodeInto(text, this.subarray(at)).written
    const bytes = fromText(text, encoding)
    this.set(bytes, at)
    return bytes.length
  }

  /** @param {Uint8Array} to @param {number} [at] */
  copy (to, at = 0) {
    const part = this.subarray(0, to.length - at)
    to.set(part, at)
    return part.length
  }

  /** @param {Uint8Array} other */
  equals (other) { return Bytes.compare(this, other) === 0 }

  /** @param {number} start @param {number} end */
  utf8Slice (start, end) { return this.toString('utf8', start, end) }

  /** @param {number} start @param {number} end */
  latin1Slice (start, end) { return this.toString('latin1', start, end) }
}

/** Whether a pair of surrogates has its first half there or its second; each counts for two of its four bytes. @param {string} text @param {number} i */
function isPair (text, i) {
  const unit = text.charCodeAt(i)
  if (unit >= 0xd800 && unit < 0xdc00) return (text.charCodeAt(i + 1) & 0xfc00) === 0xdc00
  return unit >= 0xdc00 && unit < 0xe000 && (text.charCodeAt(i - 1) & 0xfc00) === 0xd800
}

/** @param {string} text @param {string} [encoding] */
function fromText (text, encoding) {
  if (encoding === 'hex') return Bytes.from((text.match(/[0-9a-f]{2}/gi) ?? []).map(pair => parseInt(pair, 16)))
  if (encoding === 'latin1') return fromLatin1(text)
  if (encoding === 'base64' || encoding === 'base64url') return fromLatin1(atob(decodable(text)))
  const bytes = encoder.encode(text)
  return new Bytes(bytes.buffer, bytes.byteOffset, bytes.length)
}

/** Without what Node.js passes over, and without a last character that stands for no byte. @param {string} text */
function decodable (text) {
  const plain = text.replaceAll('-', '+').replaceAll('_', '/').replace(/[^A-Za-z0-9+/]/g, '')
  return plain.length % 4 === 1 ? plain.slice(0, -1) : plain
}

/** @param {string} text */
function fromLatin1 (text) {
  const bytes = new Bytes(text.length)
  for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i)
  return bytes
}

/** The same bytes, with the methods. @param {Uint8Array} bytes */
function asBytes ({ buffer, byteOffset, length }) { return new Bytes(/** @type {ArrayBuffer} */ (buffer), byteOffset, length) }

/** @param {Uint8Array} bytes */
function latin1 (bytes) {
  let text = ''
  for (let at = 0; at < bytes.length; at += SLICE) text += String.fromCharCode(...bytes.subarray(at, at + SLICE))
  return text
}

module.exports = { asBytes, Buffer: Bytes, Bytes, latin1 }
