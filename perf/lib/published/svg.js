'use strict'

/** @param {number} x @param {number} y @param {string} content @param {string} [attributes] */
function text (x, y, content, attributes = '') {
  return `<text x="${x}" y="${y}"${attributes && ` ${attributes}`}>${escape(content)}</text>`
}

/** Short, and the same on every machine. @param {number} value */
function number (value) { return Number(value.toFixed(1)) }

/** @param {string} content */
function escape (content) { return content.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/"/g, '&quot;') }

module.exports = { escape, number, text }
