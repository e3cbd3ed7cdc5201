//! `materia completions`: prints the completion script of a shell.
//!
//! Owns one small script per shell. The scripts contain no proposals: they call the hidden
//! `complete`, so that runs, recipes and loadouts are always current.

use clap::{Args, ValueEnum};

use crate::view::Screen;

/// Print what lets a shell complete runs, recipes, loadouts and options
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    echo 'source <(materia completions bash)' >> ~/.bashrc\n  \
    echo 'source <(materia completions zsh)' >> ~/.zshrc      # behind compinit\n  \
    materia completions fish > ~/.config/fish/completions/materia.fish\n\n\
    The script asks the program itself, so that ids and names are those that there are when you press Tab.")]
pub(super) struct Completions {
    /// The shell
    #[arg(value_enum, value_name = "SHELL")]
    shell: Shell,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Shell {
    Bash,
    Zsh,
    Fish,
}

impl Completions {
    pub(super) fn run(self, screen: Screen) -> u8 {
        screen.text(match self.shell {
            Shell::Bash => BASH,
            Shell::Zsh => ZSH,
            Shell::Fish => FISH,
        });
        0
    }
}

/// Bash treats a colon as a word break and replaces only what follows the last one. The script
/// therefore removes everything up to it from each proposal.
const BASH: &str = r#"_materia() {
    local line=${COMP_LINE:0:COMP_POINT} word one cut=
    word=${line##*[[:space:]]}
    [[ $word == *:* && $COMP_WORDBREAKS == *:* ]] && cut=${word%"${word##*:}"}
    COMPREPLY=()
    while IFS= read -r one; do
        one=${one%%$'\t'*}
        COMPREPLY+=("${one#"$cut"}")
    done < <(materia complete --line "$line" 2>/dev/null)
}
complete -o default -F _materia materia
"#;

const ZSH: &str = r#"#compdef materia
_materia() {
    local -a found names
    local one
    found=("${(@f)$(materia complete -- "${(@)words[2,CURRENT]}" 2>/dev/null)}")
    for one in $found; do
        [[ -n $one ]] && names+=("${${one%%$'\t'*}//:/\\:}:${one#*$'\t'}")
    done
    if (( ${#names} )); then
        _describe materia names
    else
        _files
    fi
}
if [[ $funcstack[1] == _materia ]]; then _materia "$@"; else compdef _materia materia; fi
"#;

const FISH: &str = r#"function __materia_complete
    set -l words (commandline -opc) (commandline -ct)
    set -l found (materia complete -- $words[2..-1] 2>/dev/null)
    if test (count $found) -gt 0
        printf '%s\n' $found
    else
        __fish_complete_path (commandline -ct)
    end
end
complete -c materia -f -a '(__materia_complete)'
"#;
