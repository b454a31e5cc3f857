// Command decode-manifests reads Kubernetes manifests from standard input and decodes each strictly into the Go type of its
// kind: a field that is unknown or given twice is an error. It prints the kind and name of each, or exits with 1. With the
// path of a Compose file, it loads that instead.
package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	monitoringv1 "github.com/prometheus-operator/prometheus-operator/pkg/apis/monitoring/v1"
	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apimachinery/pkg/util/yaml"
)

func main() {
	if len(os.Args) == 2 {
		if err := checkCompose(os.Args[1]); err != nil {
			fail(err)
		}
		return
	}
	decodeManifests()
}

func decodeManifests() {
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{
		appsv1.AddToScheme, autoscalingv2.AddToScheme, corev1.AddToScheme, networkingv1.AddToScheme, policyv1.AddToScheme,
		monitoringv1.AddToScheme,
	} {
		if err := add(scheme); err != nil {
			fail(err)
		}
	}
	decoder := serializer.NewCodecFactory(scheme, serializer.EnableStrict).UniversalDeserializer()
	reader := yaml.NewYAMLReader(bufio.NewReader(os.Stdin))
	isGood := true
	for {
		document, err := reader.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			fail(err)
		}
		if isEmpty(document) {
			continue
		}
		object, kind, err := decoder.Decode(document, nil, nil)
		if err != nil {
			isGood = false
			fmt.Fprintf(os.Stderr, "%v\n", err)
			continue
		}
		name := object.(metav1.Object).GetName()
		fmt.Printf("%s/%s %s\n", kind.GroupVersion(), kind.Kind, name)
	}
	if !isGood {
		os.Exit(1)
	}
}

// isEmpty tells whether a document holds nothing but comments.
func isEmpty(document []byte) bool {
	asJSON, err := yaml.ToJSON(document)
	if err != nil {
		return false
	}
	var value any
	return json.Unmarshal(asJSON, &value) == nil && value == nil || len(bytes.TrimSpace(asJSON)) == 0
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}
