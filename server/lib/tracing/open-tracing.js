'use strict'

/** @typedef {import('../log/log').Log} Log */
/** @typedef {import('./tracing').Tracing} Tracing */

const PROTOCOLS = ['http/protobuf', 'http/json']

/**
 * Opens what sends traces, if OpenTelemetry's variables of the environment ask for it. Its libraries are loaded then only; they
 * read the variables of samplers, limits, queues and the collector themselves.
 *
 * @param {Log} log
 * @returns {Tracing | null}
 * @see https://opentelemetry.io/docs/specs/otel/configuration/sdk-environment-variables/
 */
function openTracing (log) {
  const { env } = process
  if (!isAsked(env)) return null
  const protocol = env.OTEL_EXPORTER_OTLP_TRACES_PROTOCOL || env.OTEL_EXPORTER_OTLP_PROTOCOL || PROTOCOLS[0]
  if (!PROTOCOLS.includes(protocol)) {
    log.line('warning', `No traces are sent: of the protocols of OpenTelemetry there are ${PROTOCOLS.join(' and ')} here, and not ${protocol}`)
    return null
  }
  try {
    const { Tracing } = require('./tracing')
    return new Tracing(protocol, log)
  } catch (error) {
    log.line('warning', `No traces are sent: ${error.message}`)
    return null
  }
}

/** @param {NodeJS.ProcessEnv} env */
function isAsked (env) {
  if (/^\s*true\s*$/i.test(env.OTEL_SDK_DISABLED ?? '')) return false
  const exporters = env.OTEL_TRACES_EXPORTER
  if (exporters) return exporters.split(',').some(name => name.trim() === 'otlp')
  return Boolean(env.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT || env.OTEL_EXPORTER_OTLP_ENDPOINT)
}

module.exports = { openTracing }
