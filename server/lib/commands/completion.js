'use strict'

const { Argument } = require('commander')

/** @typedef {import('commander').Command} Command */
/** A command by the words that call it, with what may follow. @typedef {{ words: string, next: string[], values: Record<string, string[]> }} Entry */

/** `potoroo completion bash|zsh|fish`: a script for that shell, made of the commands as they are. */
module.exports = (/** @type {Command} */ program) => {
  program.command('completion')
    .description('print a script that lets a shell complete commands and options')
    .addArgument(new Argument('<shell>').choices(['bash', 'zsh', 'fish']))
    .addHelpText('after', `
Examples:
  $ source <(potoroo completion bash)
  $ source <(potoroo completion zsh)
  $ potoroo completion fish > ~/.config/fish/completions/potoroo.fish`)
    .action((/** @type {'bash' | 'zsh' | 'fish'} */ shell) => { process.stdout.write(scripts[shell](entriesOf(program, ''))) })
}

/** @param {Command} command @param {string} words @returns {Entry[]} */
function entriesOf (command, words) {
  const options = command.options.filter(each => !each.hidden)
  const own = {
    words,
    next: [...command.commands.map(each => each.name()), ...options.map(each => each.long ?? ''), '--help'],
    values: Object.fromEntries(options.filter(each => each.argChoices !== undefined).map(each => [each.long, each.argChoices ?? []]))
  }
  return [own, ...command.commands.flatMap(each => entriesOf(each, `${words} ${each.name()}`.trim()))]
}

const scripts = {
  /** @param {Entry[]} entries */
  bash: entries => `_potoroo () {
  local words="" word previous="\${COMP_WORDS[COMP_CWORD-1]}" current="\${COMP_WORDS[COMP_CWORD]}" next=""
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do [[ $word == -* ]] || case "\${words:+$words }$word" in
    ${entries.slice(1).map(({ words }) => `"${words}"`).join('|')}) words="\${words:+$words }$word" ;;
  esac; done
  case "$words $previous" in
${entries.flatMap(({ words, values }) => Object.entries(values).map(([option, choices]) => `    "${words} ${option}") next="${choices.join(' ')}" ;;`)).join('\n')}
  esac
  [[ $next ]] || case "$words" in
${entries.map(({ words, next }) => `    "${words}") next="${next.join(' ')}" ;;`).join('\n')}
  esac
  COMPREPLY=($(compgen -W "$next" -- "$current"))
}
complete -o default -F _potoroo potoroo
`,
  /** Zsh reads what is for bash. @param {Entry[]} entries @returns {string} */
  zsh: entries => `autoload -U +X compinit && compinit -u
autoload -U +X bashcompinit && bashcompinit
${scripts.bash(entries)}`,
  /** @param {Entry[]} entries */
  fish: entries => `complete -c potoroo -e
function __potoroo_words
  set -l words
  for word in (commandline -opc)[2..]
    contains -- (string join ' ' $words $word) ${entries.slice(1).map(({ words }) => `'${words}'`).join(' ')}; and set -a words $word
  end
  string join ' ' $words
end
${entries.flatMap(({ words, next, values }) => next.map(each => fishLine(words, each, values[each]))).join('\n')}
`
}

/** @param {string} words @param {string} each @param {string[] | undefined} choices */
function fishLine (words, each, choices) {
  const what = each.startsWith('--') ? `-l ${each.slice(2)}` : `-f -a ${each}`
  return `complete -c potoroo -n 'test (__potoroo_words) = "${words}"' ${what}${choices === undefined ? '' : ` -x -a '${choices.join(' ')}'`}`
}
