'use strict'

const fc = require('fast-check')

/** Members that documents have, and functions read: some mean something to objects, arrays or errors. */
const NAMES = ['a', 'b', 'tags', 'length', 'stack', 'name', 'message', '0', '1', '__proto__', 'constructor', 'toJSON', 'valueOf']
const DOTTED = NAMES.filter(name => !/\d/.test(name))

const scalar = fc.constantFrom('null', 'true', 'false', '0', '1', '-0', '-1.5', '1e400', '1e20', '12345678901234567890', '""', '"a"', '"0"', '"10"', '"length"', '"\\ud800"', '"é"', '"__proto__"')

/** JSON texts, since not all of them are as V8 would write them. */
const { value } = fc.letrec(tie => ({
  value: fc.oneof({ depthSize: 'small', withCrossShrink: true }, { weight: 4, arbitrary: scalar }, tie('list'), tie('object')),
  list: fc.array(tie('value'), { maxLength: 4 }).map(items => `[${items.join()}]`),
  object: fc.uniqueArray(fc.tuple(fc.constantFrom(...NAMES), tie('value')), { maxLength: 4, selector: ([name]) => name }).map(members => `{${members.map(([name, json]) => `"${name}":${json}`).join()}}`)
}))

const doc = fc.uniqueArray(fc.tuple(fc.constantFrom(...NAMES), value), { minLength: 1, maxLength: 6, selector: ([name]) => name })
  .map(members => `{"_id":"x",${members.map(([name, json]) => `"${name}":${json}`).join()}}`)

const { expression, made } = fc.letrec(tie => ({
  expression: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    { weight: 3, arbitrary: fc.constantFrom('doc', 'doc.a', 'doc.b', 'doc.tags', 'v', 'undefined', 'null', 'true', '0', '-1', '2.5', '"a"', "'length'", '"0"', '0x10', '""', 'doc.name') },
    { weight: 3, arbitrary: fc.tuple(tie('expression'), fc.constantFrom(...DOTTED)).map(([of, name]) => `${grouped(of)}.${name}`) },
    fc.tuple(tie('expression'), fc.constantFrom(...DOTTED)).map(([of, name]) => `${grouped(of)}?.${name}`),
    fc.tuple(tie('expression'), tie('expression'), fc.constantFrom('', '?.')).map(([of, name, mark]) => `${grouped(of)}${mark}[${name}]`),
    fc.tuple(tie('expression'), tie('expression')).map(([a, b]) => `\`\${${a}} and \${${b}}\``),
    fc.tuple(fc.constantFrom('!', '-', '+', 'typeof ', 'void '), tie('expression')).map(([operator, of]) => `${operator}${grouped(of)}`),
    { weight: 3, arbitrary: fc.tuple(tie('expression'), fc.constantFrom('===', '!==', '==', '!=', '<', '<=', '>', '>=', '+', '-', '*', '/', '%', '&', '|', '^', '&&', '||', '??'), tie('expression')).map(([a, operator, b]) => `${grouped(a)} ${operator} ${grouped(b)}`) },
    fc.tuple(tie('expression'), tie('expression'), tie('expression')).map(([when, then, otherwise]) => `${grouped(when)} ? ${grouped(then)} : ${grouped(otherwise)}`),
    fc.tuple(fc.constantFrom('isArray', 'Array.isArray'), tie('expression')).map(([name, of]) => `${name}(${of})`),
    tie('emit')
  ),
  made: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    { weight: 3, arbitrary: tie('expression') },
    fc.array(tie('made'), { maxLength: 3 }).map(items => `[${items.join(', ')}]`),
    fc.array(fc.tuple(fc.constantFrom('a', 'b', '"c d"', '1', 'name', 'stack', 'message'), tie('made')), { maxLength: 3 }).map(members => `{ ${members.map(([name, of]) => `${name}: ${of}`).join(', ')} }`)
  ),
  emit: fc.array(tie('made'), { maxLength: 2 }).map(items => `emit(${items.join(', ')})`)
}))

const { block } = fc.letrec(tie => ({
  statement: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    { weight: 4, arbitrary: fc.tuple(made, made).map(([key, of]) => `emit(${key}, ${of})`) },
    expression.map(of => `${grouped(of)}`),
    fc.tuple(expression, tie('block'), tie('block')).map(([when, then, otherwise]) => `if (${when}) ${then} else ${otherwise}`),
    fc.tuple(expression, tie('statement')).map(([when, then]) => `if (${when}) ${then}`),
    fc.tuple(fc.constantFrom('var', 'let', 'const'), fc.constantFrom('v', 'w'), expression).map(([kind, name, of]) => `${kind} ${name} = ${of}`),
    fc.constantFrom('var w', 'let w', 'let v'),
    expression.map(of => `v = ${of}`),
    fc.tuple(fc.constantFrom('var v of', 'let w of', 'const v in', 'var w in'), expression, tie('block')).map(([head, of, body]) => `for (${head} ${of}) ${body}`),
    fc.tuple(expression, tie('block')).map(([of, body]) => `for (var i = 0; i < ${grouped(of)}.length; i++) ${body}`),
    fc.tuple(expression, fc.constantFrom('function (v) ', 'function (v, w) ', '(v) => ', 'function () ', 'function w (v) ', 'function v () ', 'function emit (v) '), tie('block')).map(([of, head, body]) => `${grouped(of)}.forEach(${head}${body})`),
    fc.constantFrom('return', 'return doc.a', ';')
  ),
  block: fc.array(tie('statement'), { maxLength: 4 }).map(statements => `{ ${statements.join('; ')} }`)
}))

/** Sources of map functions, most of which are plain. */
const source = fc.oneof(
  { weight: 4, arbitrary: fc.tuple(fc.constantFrom('', '', '', ' emit', ' v', ' doc'), block).map(([name, body]) => `function${name} (doc) ${body};`) },
  fc.tuple(made, made).map(([key, of]) => `function (doc) { var v = doc.a; emit(${key}, ${of}) }`),
  expression.map(of => `doc => ${grouped(of)}`)
)

/** Arguments of `index`, most of which it does not refuse. */
const call = fc.tuple(fc.constantFrom('"" + ', '"" + ', '1 * ', '!', ''), expression, fc.oneof(fc.constantFrom('{}', 'null'), made.map(of => `{ a: ${of} }`)))
  .map(([sign, of, options]) => `"f", ${sign}${grouped(of)}, ${options}`)

/** Functions of text indexes: the dialect, and the source. */
const indexSource = fc.oneof(
  { weight: 3, arbitrary: fc.array(call, { minLength: 1, maxLength: 3 }).map(calls => ['search', `function (doc) { var v = doc.a; ${calls.map(given => `index(${given})`).join('; ')} }`]) },
  { weight: 3, arbitrary: fc.array(fc.tuple(fc.constantFrom('text', 'string', 'stored', 'double'), call), { minLength: 1, maxLength: 3 }).map(calls => ['nouveau', `function (doc) { var v = doc.a; ${calls.map(([type, given]) => `index("${type}", ${given})`).join('; ')} }`]) },
  source.map(text => ['search', text.replaceAll('emit(', 'index("f", "" + ')])
)

function grouped (text) { return /^[\w.]+$/.test(text) && !/^\d/.test(text) ? text : `(${text})` }

module.exports = { doc, indexSource, source }
