//! The executor against a naive interpreter of the same rules: recursive, and without processes,
//! time or files.

use proptest::collection::vec;
use proptest::prelude::*;

use super::*;

/// A template in which every failing command prints `half` and exits with 3.
#[derive(Debug, Clone)]
struct Node {
    body: Body,
    failure: Scope,
    retry: usize,
}

#[derive(Debug, Clone)]
enum Body {
    Say(u8),
    Pass,
    Fail,
    Skip,
    Sequence(Vec<Node>),
    Parallel(Vec<Node>, usize),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Scope {
    Continue,
    Branch,
    Root,
}

/// What came of a node.
#[derive(Debug, Clone, Default)]
struct Came {
    /// The exit code and the reach of a failure.
    failed: Option<(i32, Scope)>,
    skipped: bool,
    output: String,
    failures: usize,
    succeeded: usize,
    branches: Vec<&'static str>,
}

fn nodes() -> impl Strategy<Value = Node> {
    let scope =
        prop_oneof![6 => Just(Scope::Continue), 3 => Just(Scope::Branch), 1 => Just(Scope::Root)];
    let leaf = prop_oneof![3 => any::<u8>().prop_map(Body::Say), 2 => Just(Body::Pass), 3 => Just(Body::Fail), 1 => Just(Body::Skip)];
    let node = move |body: BoxedStrategy<Body>| {
        let retry = prop_oneof![4 => Just(1usize), 1 => 2..4usize];
        (body, scope.clone(), retry).prop_map(|(body, failure, retry)| Node {
            body,
            failure,
            retry,
        })
    };
    let again = node.clone();
    node(leaf.boxed()).prop_recursive(3, 12, 4, move |inner| {
        let lists = vec(inner, 1..4).prop_map(with_something_to_do);
        let parallel =
            (lists.clone(), 0..3usize).prop_map(|(nodes, least)| Body::Parallel(nodes, least));
        again(prop_oneof![lists.prop_map(Body::Sequence), parallel].boxed())
    })
}

/// A list of skipped nodes alone is a case of its own, tested elsewhere.
fn with_something_to_do(mut nodes: Vec<Node>) -> Vec<Node> {
    if matches!(nodes[0].body, Body::Skip) {
        nodes[0].body = Body::Pass;
    }
    nodes
}

impl Node {
    fn template(&self) -> Value {
        let list = |nodes: &[Node]| nodes.iter().map(Node::template).collect::<Value>();
        let failure = ["continue", "branch", "root"][self.failure as usize];
        let mut node = json!({"failure": failure, "retry": self.retry});
        node["template"] = match &self.body {
            Body::Say(number) => json!(format!("echo {number}")),
            Body::Pass => json!("cat"),
            Body::Fail => json!("sh -c 'echo half; exit 3'"),
            Body::Skip => json!("false"),
            Body::Sequence(nodes) | Body::Parallel(nodes, _) => list(nodes),
        };
        match &self.body {
            Body::Skip => node["when"] = json!(false),
            Body::Parallel(_, least) => {
                node["parallel"] = json!(true);
                node["min_successful"] = json!(least);
            }
            _ => {}
        }
        node
    }

    /// Every attempt of these commands is the same, so the last one is as good as any.
    fn run(&self, input: &str, root: bool) -> Came {
        let mut came = match &self.body {
            Body::Say(number) => Came {
                output: format!("{number}\n"),
                succeeded: 1,
                ..Came::default()
            },
            Body::Pass => Came {
                output: input.to_owned(),
                succeeded: 1,
                ..Came::default()
            },
            Body::Fail => Came {
                failed: Some((3, self.failure)),
                output: "half\n".into(),
                failures: 1,
                ..Came::default()
            },
            Body::Skip => Came {
                skipped: true,
                output: input.to_owned(),
                ..Came::default()
            },
            Body::Sequence(steps) => self.sequence(steps, input, root),
            Body::Parallel(branches, least) => self.parallel(branches, *least, input),
        };
        if let Some((_, scope)) = &mut came.failed {
            *scope = (*scope).max(self.failure);
            came.failures = came.failures.max(1);
        }
        came
    }

    fn sequence(&self, steps: &[Node], input: &str, root: bool) -> Came {
        let mut all = Came {
            output: input.to_owned(),
            ..Came::default()
        };
        for step in steps {
            let came = step.run(&all.output, false);
            all.add(&came);
            all.output = came.output;
            if let Some((code, scope)) = came.failed {
                let alone = if root && steps.len() == 1 {
                    Scope::Root
                } else {
                    Scope::Continue
                };
                let scope = scope.max(self.failure).max(alone);
                if scope > Scope::Continue {
                    all.failed = Some((code, scope));
                    return all;
                }
                all.output.clear();
            }
        }
        all
    }

    fn parallel(&self, branches: &[Node], least: usize, input: &str) -> Came {
        let came: Vec<Came> = branches
            .iter()
            .map(|branch| branch.run(input, false))
            .collect();
        let mut all = Came::default();
        came.iter().for_each(|came| all.add(came));
        let is_fatal = |scope: Scope| scope.max(self.failure) == Scope::Root;
        if let Some((code, _)) = came
            .iter()
            .filter_map(|came| came.failed)
            .find(|(_, scope)| is_fatal(*scope))
        {
            return Came {
                failed: Some((code, Scope::Root)),
                ..all
            };
        }
        let mut texts = Vec::new();
        for (index, came) in came.iter().enumerate() {
            let (status, text) = match (came.failed, came.skipped) {
                (Some((code, _)), _) => ("failed", format!("exit: {code}")),
                (None, true) => ("skipped", String::new()),
                (None, false) => ("done", came.output.clone()),
            };
            all.branches.push(status);
            texts.push(format!(
                "--- branch: branch {} status: {status} ---\n{text}",
                index + 1
            ));
        }
        all.output = texts.join("\n");
        let failure = came.iter().find_map(|came| came.failed);
        let done = came
            .iter()
            .filter(|came| came.failed.is_none() && !came.skipped)
            .count();
        all.failed = match failure {
            _ if done < least => Some((failure.map_or(1, |(code, _)| code), Scope::Continue)),
            Some((code, _)) if self.failure == Scope::Branch => Some((code, Scope::Branch)),
            _ => None,
        };
        all
    }

    fn has_root(&self) -> bool {
        let below = match &self.body {
            Body::Sequence(nodes) | Body::Parallel(nodes, _) => nodes.iter().any(Node::has_root),
            _ => false,
        };
        below || self.failure == Scope::Root
    }

    fn has_quorum(&self) -> bool {
        match &self.body {
            Body::Sequence(nodes) => nodes.iter().any(Node::has_quorum),
            Body::Parallel(nodes, least) => *least > 0 || nodes.iter().any(Node::has_quorum),
            _ => false,
        }
    }
}

impl Came {
    fn add(&mut self, part: &Came) {
        self.failures += part.failures;
        self.succeeded += part.succeeded;
        self.branches.extend(&part.branches);
    }

    fn status(&self) -> &'static str {
        match (self.failed, self.failures, self.succeeded) {
            (Some(_), ..) => "failed",
            (None, 0, _) => "ok",
            (None, _, 0) => "failed",
            (None, ..) => "degraded",
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 100, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_executor_agrees_with_a_naive_interpreter(node in nodes()) {
        let env = TestEnv::new();
        let (exit, document) = ran(&env, &node.template(), &[]);
        let came = node.run("", true);
        prop_assert_eq!(&document["status"], came.status(), "{}", document);
        prop_assert_eq!(exit == 0, came.status() != "failed");
        // Which of several failures for everybody came first is, too, and a missed quorum has a
        // code of its own.
        if let Some((code, _)) = came.failed.filter(|_| !(node.has_root() && node.has_quorum())) {
            prop_assert_eq!(&document["code"], code, "{}", document);
        }
        // Which siblings of a failure for everybody had begun is a matter of time.
        if !node.has_root() {
            prop_assert_eq!(document["failures"].as_array().unwrap().len(), came.failures, "{}", document);
            prop_assert_eq!(each(&document["branches"], "status"), came.branches, "{}", document);
            // What a missed quorum says of itself is part of the text around it.
            if !node.has_quorum() {
                prop_assert_eq!(&document["output"], &came.output, "{}", document);
            }
        }
    }
}
