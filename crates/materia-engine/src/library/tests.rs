//! Name resolution, and that the packaged table matches its directory.

use std::fs;
use std::path::Path;

use super::packaged::PACKAGED;
use super::*;
use crate::home::HomeVariables;
use crate::store::{atomic, dir};

struct Place {
    dir: tempfile::TempDir,
    library: Library,
}

fn place() -> Place {
    let dir = tempfile::tempdir().unwrap();
    let home = Home::locate(&HomeVariables {
        home: Some(dir.path().to_owned()),
        ..HomeVariables::default()
    })
    .unwrap();
    let library = Library::new(&home, Some(dir.path()));
    Place { dir, library }
}

impl Place {
    fn write(&self, file: &str, template: &str) {
        let file = self.dir.path().join(file);
        dir::create_private(file.parent().unwrap()).unwrap();
        atomic::write(&file, format!("{{\"template\": {template}}}").as_bytes()).unwrap();
    }

    fn found(&self, name: &str) -> Result<(RecipeSource, String), String> {
        let cwd = self.dir.path().join("proj");
        let located = self
            .library
            .find(name, &cwd)
            .map_err(|error| format!("{} {}", error.code, error.hint))?;
        let file = located
            .file
            .as_ref()
            .map(|file| file.strip_prefix(self.dir.path()).unwrap().to_owned());
        Ok((
            located.found,
            file.unwrap_or_default().to_string_lossy().into_owned(),
        ))
    }
}

#[test]
fn r2_a_name_leads_to_the_root_then_beside_then_to_the_binary() {
    let place = place();
    assert_eq!(
        place.found("utility-git-log"),
        Ok((RecipeSource::Packaged, String::new()))
    );
    place.write(".pi/agent/recipes/utility-git-log.json", "\"mine\"");
    assert_eq!(
        place.found("utility-git-log").unwrap().0,
        RecipeSource::User
    );
    place.write("proj/here.json", "\"x\"");
    assert!(
        place.found("here").is_err(),
        "a bare name is no file of the directory"
    );
    assert_eq!(place.found("here.json").unwrap().0, RecipeSource::Directory);
    assert_eq!(
        place.found("./here"),
        Ok((RecipeSource::Named, "proj/./here.json".to_owned()))
    );
    place.write(".pi/agent/skills/web/recipes/fetch.json", "\"x\"");
    for name in ["web/fetch", "web/fetch.json"] {
        assert_eq!(place.found(name).unwrap().0, RecipeSource::Skill, "{name}");
    }
    for name in ["~/proj/here.json", "{agent}/../../proj/here.json"] {
        assert_eq!(place.found(name).unwrap().0, RecipeSource::Named, "{name}");
    }
    assert_eq!(
        place.found("utility-git-lok").unwrap_err(),
        "recipe-not-found did you mean `utility-git-log`?"
    );
    for hostile in [
        "", ".", "..", "../..", "web/../x", "a\0b", "/", "-x", "web/",
    ] {
        assert!(place.found(hostile).is_err(), "{hostile:?}");
    }
}

#[test]
fn imports_look_beside_their_recipe_and_from_its_directory() {
    let place = place();
    place.write("proj/lib/part.json", "\"echo beside\"");
    place.write("proj/lib/deep/part.json", "\"echo deep\"");
    let whole = r#"[{"name": "a"}, {"name": "b"}, {"name": "c"}], "imports": {"a": "part", "b": "deep/part", "c": "{recipe_dir}/part.json"}"#;
    place.write("proj/lib/whole.json", whole);
    let located = place
        .library
        .find("lib/whole", &place.dir.path().join("proj"))
        .unwrap();
    let linked = place.library.link(&located).unwrap();
    let names: Vec<&str> = linked
        .composition
        .iter()
        .map(|one| one.file.rsplit_once("/proj/").unwrap().1)
        .collect();
    assert_eq!(
        names,
        [
            "lib/whole.json",
            "lib/part.json",
            "lib/deep/part.json",
            "lib/part.json"
        ]
    );
    // The user's recipe of that name takes precedence over the one in the same directory.
    place.write(".pi/agent/recipes/part.json", "\"echo mine\"");
    let linked = place.library.link(&located).unwrap();
    assert!(linked.composition[1].file.contains("/recipes/part.json"));
}

#[test]
fn a_loop_of_links_is_a_cycle_and_what_is_no_file_is_refused() {
    let place = place();
    place.write(
        "proj/a.json",
        r#"{"name": "b"}, "imports": {"b": "./b.json"}"#,
    );
    rustix::fs::symlink("a.json", place.dir.path().join("proj/b.json")).unwrap();
    let located = place
        .library
        .find("./a.json", &place.dir.path().join("proj"))
        .unwrap();
    assert_eq!(
        place.library.link(&located).unwrap_err()[0].code,
        "cyclic-import"
    );
    rustix::fs::symlink("/dev/zero", place.dir.path().join("proj/zero.json")).unwrap();
    assert!(
        place
            .found("./zero.json")
            .unwrap_err()
            .starts_with("unreadable")
    );
}

#[test]
fn the_table_of_the_binary_is_its_directory_and_every_recipe_links() {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/recipes");
    let mut files: Vec<String> = fs::read_dir(dir)
        .unwrap()
        .map(|entry| {
            entry
                .unwrap()
                .file_name()
                .to_string_lossy()
                .trim_end_matches(".json")
                .to_owned()
        })
        .collect();
    files.sort();
    assert_eq!(
        PACKAGED
            .iter()
            .map(|packaged| packaged.name)
            .collect::<Vec<_>>(),
        files
    );
    let place = place();
    for packaged in PACKAGED {
        let linked = place.library.link(&place.library.shipped(packaged));
        let linked = linked.unwrap_or_else(|findings| panic!("{}: {findings:#?}", packaged.name));
        assert!(
            linked.template.warnings().is_empty(),
            "{}: {:?}",
            packaged.name,
            linked.template.warnings()
        );
        assert!(
            linked.recipe.description.is_some() && linked.recipe.kind.is_some(),
            "{}",
            packaged.name
        );
    }
}
