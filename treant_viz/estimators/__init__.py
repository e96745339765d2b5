"""scikit-learn's face: trees and forests with fit and predict, and the files they are saved in."""
