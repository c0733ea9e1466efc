'use strict'

/**
 * A measure of how far vectors are apart: less is nearer.
 *
 * @typedef {object} Metric
 * @property {(vector: Float32Array) => void} prepare changes a vector before it is kept or sought
 * @property {(a: Float32Array, from: number, b: Float32Array, other: number, dimensions: number) => number} distance of the vectors that begin
 *   there
 * @property {(distance: number) => number} similarity more is nearer
 */

/** Four sums at a time: they do not wait for each other. @type {Metric['distance']} */
function dot (a, from, b, other, dimensions) {
  let [s0, s1, s2, s3] = [0, 0, 0, 0]
  const whole = dimensions - dimensions % 4
  let at = 0
  for (; at < whole; at += 4) {
    s0 += a[from + at] * b[other + at]
    s1 += a[from + at + 1] * b[other + at + 1]
    s2 += a[from + at + 2] * b[other + at + 2]
    s3 += a[from + at + 3] * b[other + at + 3]
  }
  for (; at < dimensions; at++) s0 += a[from + at] * b[other + at]
  return s0 + s1 + s2 + s3
}

/** @type {Metric['distance']} */
function square (a, from, b, other, dimensions) {
  let [s0, s1] = [0, 0]
  const whole = dimensions - dimensions % 2
  for (let at = 0; at < whole; at += 2) {
    const d0 = a[from + at] - b[other + at]
    const d1 = a[from + at + 1] - b[other + at + 1]
    s0 += d0 * d0
    s1 += d1 * d1
  }
  if (whole < dimensions) s0 += (a[from + whole] - b[other + whole]) ** 2
  return s0 + s1
}

/** A vector of length one, or of zeros. @param {Float32Array} vector */
function normalize (vector) {
  const length = Math.sqrt(dot(vector, 0, vector, 0, vector.length))
  if (length > 0) for (let at = 0; at < vector.length; at++) vector[at] /= length
}

/** @type {Record<string, Metric>} */
const metrics = {
  cosine: { prepare: normalize, distance: (a, from, b, other, dimensions) => 1 - dot(a, from, b, other, dimensions), similarity: distance => 1 - distance },
  dot: { prepare: () => {}, distance: (a, from, b, other, dimensions) => -dot(a, from, b, other, dimensions), similarity: distance => -distance },
  l2: { prepare: () => {}, distance: square, similarity: distance => 1 / (1 + Math.sqrt(Math.max(0, distance))) }
}

module.exports = { metrics }
