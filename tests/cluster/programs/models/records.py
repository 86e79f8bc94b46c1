"""A program of a team that uses MLflow. `records.py record` logs a run and registers a model; `records.py load` asks that model,
as a later program does; `records.py register FILE` registers a model that is a file. What it prints is JSON."""

import json
import sys

import mlflow


class Doubles(mlflow.pyfunc.PythonModel):
    """A model that doubles."""

    def predict(self, model_input: list[float]):
        """Twice each."""
        return [2 * each for each in model_input]


def record() -> dict:
    """A run with a parameter, a metric, a file and a model."""
    mlflow.set_experiment("digits")
    with mlflow.start_run(run_name="first") as run:
        mlflow.log_param("rate", 0.1)
        mlflow.log_metric("loss", 0.25)
        mlflow.log_text("one two", "notes.txt")
        mlflow.pyfunc.log_model(
            name="model", python_model=Doubles(), registered_model_name="digits", pip_requirements=[]
        )
    return {"run": run.info.run_id}


def load() -> dict:
    """What is kept of the run, and what the model answers."""
    (run,) = mlflow.search_runs(experiment_names=["digits"], output_format="list")
    model = mlflow.pyfunc.load_model("models:/digits/1")
    return {
        "loss": run.data.metrics["loss"],
        "rate": run.data.params["rate"],
        "notes": mlflow.artifacts.load_text(f"{run.info.artifact_uri}/notes.txt"),
        "doubled": model.predict([1.0, 2.5]),
        "artifacts": run.info.artifact_uri.split(":")[0],
    }


def register(file: str) -> dict:
    """A registered version of a model that another program has fitted, and the address that MLflow gives it."""
    client = mlflow.MlflowClient()
    mlflow.set_experiment("flowers")
    with mlflow.start_run() as run:
        mlflow.log_artifact(file, "fitted")
    client.create_registered_model("flowers")
    version = client.create_model_version("flowers", f"{run.info.artifact_uri}/fitted", run.info.run_id)
    return {"address": client.get_model_version_download_uri("flowers", version.version)}


print(json.dumps({"record": record, "load": load, "register": register}[sys.argv[1]](*sys.argv[2:])))
